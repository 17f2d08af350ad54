"""Fits: from a picture to a program."""

from __future__ import annotations

import json
import math
import os
import time
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    Union,
)

from . import _tbr
from ._pictures import Picture, name_of, taken
from ._tbr import Program, Tool
from ._verbs import Colour, Path, weights_folder
from .errors import LimitError, RequestError

if TYPE_CHECKING:
    from typing_extensions import Unpack


#: The most that a budget may be: a day, more than eight bits a colour can tell, and all there is.
MOST = dict(seconds=86_400.0, psnr=100.0, error=1.0)


class FitOptions(TypedDict, total=False):
    """What can be asked of a fit: the names and the meanings of `tbr fit`.

    The one list of them; `crates/tbr-python/src/options.rs` makes the library's of it.
    """

    #: "fast", "default", "best" or "paper".
    preset: str
    strokes: int
    #: A number of colours, colours, a file with one a line, or "free".
    palette: Union[int, Path, Sequence[Colour]]
    #: "eyes" or "pixels".
    palette_by: str
    #: "eyes" or "pixels".
    error_by: str
    operator: str
    drops: bool
    straight: bool
    seed: int
    #: Longer side of the picture that is fitted, in pixels.
    size: int
    #: Gradient steps in all.
    steps: int
    matte: Colour
    #: Leave transparent parts unpainted.
    bare: bool
    #: A picture of the same shape: more care where it is bright.
    mask: Picture
    #: A program to start from, or its path.
    start: Union[Program, Path]
    #: Tools that come last.
    tools: Sequence[Union[Tool, str]]
    hold_tools: bool
    #: Search for combs that the picture was drawn with.
    comb: bool
    #: Folder with the networks' weights, for the preset "paper".
    weights: Path
    #: Any other field of the library's options, by the names in a fitted program's provenance.
    options: Mapping[str, Any]


class Report(NamedTuple):
    """How a step of a fit went."""

    #: Steps done; 0 as long as the first program is being made.
    step: int
    steps: int
    #: The relaxed loss before the step.
    loss: float
    #: The error of the best constant picture over that of the best program so far.
    floor_ratio: float
    #: Was that found in this step?
    improved: bool
    #: Share of the work that is done.
    progress: float


class Fit:
    """A fit in progress: iterate over it, and it takes a step at a time.

    Between steps, `program` is the best so far, and `state()` is all that is needed to go on
    later: `Fit(picture, state=..., ...)` with the same picture and options ends at the same
    program. After Ctrl-C in a step, the fit is as it was before that, and can go on.

    >>> picture = tbr.render(tbr.sample("tulip"), width=64, samples=3)
    >>> fit = tbr.Fit(picture, strokes=20, preset="fast", size=64, steps=4)
    >>> for report in fit:
    ...     pass
    >>> report.step, fit.program
    (5, <tbr.Program: 20 strokes, canvas 1 x 1, capsule>)
    """

    def __init__(
        self,
        picture: Picture,
        *,
        state: Optional[bytes] = None,
        name: Optional[str] = None,
        **options: Unpack[FitOptions],
    ) -> None:
        unknown = set(options) - set(FitOptions.__annotations__)
        if unknown:
            raise TypeError(f"a fit has no option {min(unknown)!r}")
        self._own = _tbr.Fit(
            taken(picture), name or name_of(picture), {**_read(options), "state": state}
        )

    def __iter__(self) -> Iterator[Report]:
        while not self.done:
            yield self.step()

    def step(self) -> Report:
        """One step: some strokes of the first program, or a gradient step."""
        return Report(*self._own.step())

    @property
    def done(self) -> bool:
        """Are all steps done?"""
        return self._own.is_done()

    @property
    def program(self) -> Program:
        """The best program so far. As long as the first is being made, of the strokes there are."""
        return self._own.program()

    @property
    def error(self) -> Optional[float]:
        """The mean squared error of the best program so far, with hard edges."""
        return self._own.error()

    @property
    def size(self) -> Tuple[int, int]:
        """Pixels across and down of the picture as it is fitted."""
        return self._own.size()

    @property
    def options(self) -> Dict[str, Any]:
        """The library's options, suited to the picture."""
        options: Dict[str, Any] = json.loads(self._own.options())
        return options

    def state(self) -> bytes:
        """Where the fit stands: the bytes of a checkpoint, from which `tbr fit` goes on, too."""
        return self._own.state()


def _read(options: FitOptions) -> Dict[str, Any]:
    """The options with what paths among them stand for."""
    asked: Dict[str, Any] = {**options}
    asked["weights"] = weights_folder(options.get("weights"))
    if asked.get("mask") is not None:
        asked["mask"] = taken(asked["mask"])
    start, palette = asked.get("start"), asked.get("palette")
    if isinstance(start, (str, os.PathLike)):
        asked["start"], asked["start_name"] = _tbr.load(start), name_of(start)
    if isinstance(palette, os.PathLike):
        asked["palette"] = os.fspath(palette)
    return asked


Callback = Callable[[Report], object]


def fit(
    picture: Picture,
    *,
    callback: Optional[Callback] = None,
    progress: bool = False,
    seconds: Optional[float] = None,
    psnr: Optional[float] = None,
    error: Optional[float] = None,
    name: Optional[str] = None,
    **options: Unpack[FitOptions],
) -> Program:
    """A program for a picture: a path, an array, or a picture of Pillow's.

    The program is that of `tbr fit` with the same options, byte for byte. `callback` hears of
    every step, and may raise what it likes. `progress` shows a bar of tqdm's, if that is
    installed. In place of a number of steps or strokes: `seconds` is about how long it may take,
    and `psnr` (decibels) or `error` (mean squared) ask for the fewest strokes that come so near.

    After Ctrl-C, the KeyboardInterrupt has the best program so far as `.program`, and the fit,
    to go on with, as `.fit`; None before there is one.

    >>> picture = tbr.render(tbr.sample("tulip"), width=64, samples=3)
    >>> tbr.fit(picture, strokes=20, preset="fast", size=64, steps=4)
    <tbr.Program: 20 strokes, canvas 1 x 1, capsule>
    """
    bar = _checked(options, seconds=seconds, psnr=psnr, error=error)
    if bar is not None:
        return _fewest(picture, bar, callback, progress, name, options)
    begun = time.monotonic()
    own = _begun(picture, name, options)
    return _finish(own, callback, progress, None if seconds is None else begun + seconds)


def _checked(options: FitOptions, **budgets: Optional[float]) -> Optional[float]:
    """The mean squared error that is asked for, if one is; refuses budgets that do not fit."""
    given = {name: budget for name, budget in budgets.items() if budget is not None}
    if not given:
        return None
    if len(given) > 1:
        raise RequestError("seconds, psnr and error: only one of them")
    ((name, budget),) = given.items()
    most = MOST[name]
    if not 0 < budget <= most:
        raise RequestError(f"{name} is {budget}: it is a number above 0 and at most {most:g}")
    if options.get("preset") == "paper":
        raise RequestError(f"{name} is not for the preset paper, which has the paper's numbers")
    others = ("steps",) if name == "seconds" else ("start", "comb")
    for other in others:
        if options.get(other) not in (None, False):
            raise RequestError(f"{name} and {other}: only one of them")
    if name == "seconds":
        return None
    return _tbr.mse_of(budget) if name == "psnr" else budget


def _begun(picture: Picture, name: Optional[str], options: FitOptions) -> Fit:
    """A fit; who interrupts its making has neither it nor a program."""
    try:
        return Fit(picture, name=name, **options)
    except KeyboardInterrupt as stopped:
        _keep(stopped, None, None)
        raise


def _finish(
    own: Fit, callback: Optional[Callback], progress: bool, end: Optional[float] = None
) -> Program:
    """All steps of a fit; as many as there is time for if it has an end."""
    try:
        with _Bar(progress) as bar:
            while not own.done:
                if end is not None and own._own.has_started() and not own._own.has_descended():
                    own._own.choose_steps(end - time.monotonic())
                    end = None
                    continue
                report = own.step()
                bar.show(report)
                if callback is not None:
                    callback(report)
    except KeyboardInterrupt as stopped:
        _keep(stopped, own, _best(own))
        raise
    return own.program


def _best(own: Fit) -> Optional[Program]:
    """The best program of a fit, if it has one."""
    try:
        return own.program
    except RequestError:
        return None


def _keep(stopped: KeyboardInterrupt, own: Optional[Fit], program: Optional[Program]) -> None:
    """Gives an interrupt the fit, and the best program."""
    stopped.fit, stopped.program = own, program  # type: ignore[attr-defined]


def _fewest(
    picture: Picture,
    bar: float,
    callback: Optional[Callback],
    progress: bool,
    name: Optional[str],
    options: FitOptions,
) -> Program:
    """The fit with the fewest strokes whose error is `bar` or less."""
    first = options.get("strokes")
    if first == 0:
        raise RequestError("a search cannot begin with 0 strokes")
    search = _tbr.Fewest(bar, first, _begun(picture, name, options).size)
    found: Optional[Program] = None
    program: Optional[Program] = None
    while (strokes := search.next()) is not None:
        tried: FitOptions = {**options, "strokes": strokes}
        try:
            own = _begun(picture, name, tried)
            program = _finish(own, callback, progress)
        except KeyboardInterrupt as stopped:
            if (known := found or program) is not None:
                stopped.program = known  # type: ignore[attr-defined]
            raise
        reached = float("inf") if own.error is None else own.error
        search.tried(strokes, reached)
        if search.enough() == strokes:
            found = program
        least = own._own.least_error()
        if least is not None and least > bar and found is None:
            message = f"no number of strokes errs less than {bar}: the palette allows {least}"
            raise RequestError(message)
    if found is None:
        most, best = search.too_few(), search.least_error()
        raise LimitError(f"an error of {bar} is out of reach: {most} strokes come to {best}")
    return found


class _Bar:
    """A bar of tqdm's, if it is wanted and there."""

    def __init__(self, wanted: bool) -> None:
        self._bar: Any = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            form = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
            self._bar = tqdm(total=1.0, bar_format=form)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, report: Report) -> None:
        if self._bar is None:
            return
        self._bar.update(report.progress - self._bar.n)
        what = f"step {report.step}/{report.steps}, floor ratio {report.floor_ratio:.2f}"
        self._bar.set_postfix_str("peeling" if report.step == 0 else what)


__all__: List[str] = ["Fit", "FitOptions", "Report", "fit"]
