"""Fits of many pictures on Dask: on the cores of this machine, or on any cluster.

Pictures and programs have addresses of fsspec: paths, or such as "s3://bucket/a.png". What is
done already is not done again, and what was stopped goes on, with the bytes of `tbr fit`.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import time
import uuid
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from tempfile import TemporaryDirectory
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

import fsspec
from distributed import (
    Client,
    Event,
    LocalCluster,
    WorkerPlugin,
    as_completed,
    get_worker,
    wait,
)

from . import _tbr
from ._fit import Fit, FitOptions
from ._live import Table
from ._tbr import Program, loads, set_threads
from ._verbs import save_render
from .errors import Error, FileError, RequestError

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A path, or any other address that fsspec knows.
Address = Union[str, "os.PathLike[str]"]

#: What a program's address ends in.
ENDING = ".tbr.json"
#: How often a fit asks whether it is to stop, seconds: asking takes a thousandth of that.
TICK = 1.0
#: How long fits that are told to stop may take for it, seconds.
GRACE = 60.0
#: What is heard of every record, if somebody wants to.
Callback = Callable[["Record"], object]


class Record(NamedTuple):
    """What has become of a picture: a line of `tbr fit --summary`, and who did it."""

    picture: str
    program: str
    #: "fitted", "done before", "stopped" or "failed".
    status: str
    width_px: Optional[int] = None
    height_px: Optional[int] = None
    strokes: Optional[int] = None
    #: Gradient steps.
    steps: Optional[int] = None
    floor_ratio: Optional[float] = None
    mse: Optional[float] = None
    psnr: Optional[float] = None
    seconds: Optional[float] = None
    peak_memory_bytes: Optional[int] = None
    error: Optional[str] = None
    worker: Optional[str] = None


def fit_many(
    pictures: Iterable[Address],
    out: Address,
    client: Optional[Client] = None,
    retries: int = 2,
    *,
    checkpoint_every: float = 30.0,
    callback: Optional[Callback] = None,
    progress: bool = False,
    **options: Unpack[FitOptions],
) -> List[Record]:
    """Fits pictures side by side, their programs and replays into a folder; gives a record of each.

    Without a `client`, a cluster of Dask's is started on this machine, a worker for each core,
    that only this machine can reach; a script needs `if __name__ == "__main__":` then. When a worker
    dies, its fit goes on elsewhere, from its checkpoint. What fails for any reason but the picture
    and the options, such as a network's, is tried again, `retries` times. A picture that cannot be
    fitted has a record that says why, and does not end the others.

    `progress` shows a live table; `callback` hears of every record, and may raise what it likes.
    After that, or Ctrl-C, whatever is at work leaves a checkpoint; the same call goes on.
    """
    unknown = set(options) - set(FitOptions.__annotations__)
    if unknown:
        raise TypeError(f"a fit has no option {min(unknown)!r}")
    places = _places(pictures, os.fspath(out))
    asked: Dict[str, Any] = dict(options=options, every=checkpoint_every, retries=retries)
    table = Table(len(places), progress)
    with _on_this_machine() if client is None else nullcontext(client) as own, table:
        return _all(own, places, asked, table, callback)


@contextmanager
def _on_this_machine() -> Iterator[Client]:
    """Workers on all cores, one fit on each. (Without a host, all the world could reach them.)"""
    asked = dict(host="127.0.0.1", threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with LocalCluster(**asked) as cluster, Client(cluster) as client:
        client.register_plugin(_Deaf())
        yield client


class _Deaf(WorkerPlugin):
    """Workers do not hear Ctrl-C, which terminals send to all: who waits for them tells them."""

    def setup(self, worker: Any) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _places(pictures: Iterable[Address], out: str) -> List[Tuple[str, str]]:
    """The addresses of pictures and of their programs. No two share one."""
    known: Dict[str, str] = {}
    for picture in [os.fspath(picture) for picture in pictures]:
        path = picture.partition("://")[2] or picture
        program = f"{out.rstrip('/')}/{_tbr.program_of(path).as_posix()}"
        if program in known:
            message = f"{known[program]} and {picture} would both be written to {program}"
            raise RequestError(message)
        known[program] = picture
    return [(picture, program) for program, picture in known.items()]


def _all(
    client: Client,
    places: List[Tuple[str, str]],
    asked: Dict[str, Any],
    table: Table,
    callback: Optional[Callback],
) -> List[Record]:
    """The records of all pictures, in their order."""
    stop = Event(f"tbr-{uuid.uuid4().hex}", client=client)
    futures = client.map(_one, places, pure=False, key="tbr.fit", stop=stop.name, **asked)
    number = {future.key: k for k, future in enumerate(futures)}
    records: Dict[int, Record] = {}
    try:
        for future in as_completed(futures):
            k = number[future.key]
            records[k] = _record(future, places[k])
            table.add(records[k])
            if callback is not None:
                callback(records[k])
    except BaseException:
        _stop(client, futures, stop)
        raise
    return [records[k] for k in range(len(places))]


def _record(future: Any, place: Tuple[str, str]) -> Record:
    """What a task has come to; a record of its failure if it has failed for good."""
    if future.status == "finished":
        record: Record = future.result()
        return record
    return Record(*place, "failed", error=str(future.exception() or future.status))


def _stop(client: Client, futures: List[Any], stop: Event) -> None:
    """What is at work leaves a checkpoint, and nothing else is begun."""
    stop.set()
    at_work = {key for keys in client.processing().values() for key in keys}
    client.cancel([future for future in futures if future.key not in at_work])
    with suppress(TimeoutError):
        wait([future for future in futures if future.key in at_work], timeout=GRACE)


def _one(place: Tuple[str, str], options: FitOptions, every: float, stop: str) -> Record:
    """The fit of one picture, on a worker. What is wrong with the picture or the options ends it;
    anything else that is raised is tried again."""
    begun = time.monotonic()
    _share_cores()
    try:
        record = _fitted(place, options, every, Event(stop))
    except FileNotFoundError as problem:
        record = Record(*place, "failed", error=f"{place[0]}: {problem}")
    except Error as problem:
        record = Record(*place, "failed", error=str(problem))
    return record._replace(
        seconds=round(time.monotonic() - begun, 3),
        peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        worker=get_worker().address,
    )


@lru_cache(maxsize=None)
def _share_cores() -> None:
    """This process's fits, one on each thread of the worker, share as many threads of ours."""
    set_threads(get_worker().state.nthreads)


def _fitted(place: Tuple[str, str], options: FitOptions, every: float, stop: Event) -> Record:
    files = _Files(place[1])
    with _local(place[0]) as picture:
        fit = Fit(picture, **options)
        program = files.program_there()
        owned = fit._own.owns(program) if program else None
        checkpoint = files.read(files.checkpoint)
        if program and owned == "finished" and checkpoint is None and files.has(files.replay):
            return _outcome("done before", place, fit, program)
        if owned is None:
            files.check_new()
        if checkpoint is not None:
            fit = _gone_on(picture, checkpoint, options) or fit
    files.make_folder()
    if not _steps(fit, files, every, stop):
        return Record(*place, "stopped")
    program = fit.program
    files.write(files.program, lambda path: program.save(path, force=True))
    width, height = fit.size
    files.write(
        files.replay,
        lambda path: save_render(program, path, width, height, samples=3, force=True),
    )
    files.remove(files.checkpoint)
    return _outcome("fitted", place, fit, program)


def _gone_on(picture: str, checkpoint: bytes, options: FitOptions) -> Optional[Fit]:
    """The fit, from its checkpoint; none if that is of another fit, or damaged."""
    try:
        return Fit(picture, state=checkpoint, **options)
    except Error:
        return None


def _steps(fit: Fit, files: _Files, every: float, stop: Event) -> bool:
    """All steps, with a checkpoint now and then. Were they done before somebody asked to stop?"""
    asked, written = 0.0, time.monotonic()
    while not fit.done:
        if time.monotonic() - asked >= TICK:
            asked = time.monotonic()
            if stop.is_set():
                files.write(files.checkpoint, fit._own.save_state)
                return False
        fit.step()
        if time.monotonic() - written >= every:
            files.write(files.checkpoint, fit._own.save_state)
            written = time.monotonic()
    return True


def _outcome(status: str, place: Tuple[str, str], fit: Fit, program: Program) -> Record:
    """The record of a picture with its program."""
    ratio: Optional[float] = program.provenance["floor_ratio"]
    mse = fit._own.floor() / ratio if ratio else 0.0
    strokes = len(program.half_widths)
    steps = sum(stage["steps"] for stage in fit.options["stages"])
    psnr = None if mse == 0 else -10 * math.log10(mse)
    return Record(*place, status, *fit.size, strokes, steps, ratio, mse, psnr)


@contextmanager
def _local(picture: str) -> Iterator[str]:
    """A picture as a file of this machine, under its own name."""
    system, path = fsspec.url_to_fs(picture)
    if _is_local(system):
        yield path
        return
    with TemporaryDirectory(prefix="tbr-") as folder:
        here = os.path.join(folder, os.path.basename(path))
        system.get_file(path, here)
        yield here


class _Files:
    """The files of one fit, wherever they are."""

    def __init__(self, program: str) -> None:
        self.system, self.program = fsspec.url_to_fs(program)
        self.system.invalidate_cache()
        stem = self.program[: -len(ENDING)]
        self.replay, self.checkpoint = f"{stem}.tbr.png", f"{stem}.tbr.checkpoint"

    def has(self, path: str) -> bool:
        return bool(self.system.exists(path))

    def read(self, path: str) -> Optional[bytes]:
        """A file's bytes; none if it is not there."""
        try:
            found: bytes = self.system.cat_file(path)
        except FileNotFoundError:
            return None
        return found

    def program_there(self) -> Optional[Program]:
        """The program that is there, if it is one."""
        try:
            return loads(self.read(self.program) or b"")
        except Error:
            return None

    def check_new(self) -> None:
        """Refuses to replace what somebody else has made."""
        for path in (self.program, self.replay):
            if self.has(path):
                raise FileError(f"{path}: is there already")

    def make_folder(self) -> None:
        self.system.makedirs(os.path.dirname(self.program), exist_ok=True)

    def write(self, path: str, make: Callable[[str], object]) -> None:
        """A file that `make` writes whole; elsewhere it is made here and carried there."""
        if _is_local(self.system):
            try:
                make(path)
            except FileError as problem:
                # A full disk is not the picture's fault: it is tried again.
                raise OSError(str(problem)) from problem
            return
        with TemporaryDirectory(prefix="tbr-") as folder:
            here = os.path.join(folder, os.path.basename(path))
            make(here)
            self.system.put_file(here, path)

    def remove(self, path: str) -> None:
        try:
            self.system.rm_file(path)
        except FileNotFoundError:
            pass


def _is_local(system: Any) -> bool:
    return "file" in ((system.protocol,) if isinstance(system.protocol, str) else system.protocol)


__all__ = ["Record", "fit_many"]
