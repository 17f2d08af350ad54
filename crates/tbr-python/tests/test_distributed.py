"""Many pictures on Dask: workers killed, cancelled, on S3; the bytes are those of the command."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tbr
from conftest import wanted

distributed = wanted("distributed")
psutil = wanted("psutil")
many = wanted("tbr.distributed")

PICTURES = 5
QUICK = dict(preset="fast", strokes=12, size=48, steps=4)
#: Long enough to be stopped in the middle.
LONG = {**QUICK, "strokes": 40, "size": 96, "steps": 400}
#: Checkpoints, soon.
OFTEN = dict(checkpoint_every=0.2)
PATIENCE = 120


@pytest.fixture(scope="module")
def client():
    """Two workers that nobody else reaches."""
    asked = dict(host="127.0.0.1", threads_per_worker=1, dashboard_address="127.0.0.1:0")
    cluster = distributed.LocalCluster(n_workers=2, **asked)
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses of small pictures."""
    for k in range(PICTURES):
        path = tmp_path / f"in/{k % 2}/{k}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        tbr.save_render(tbr.sample("tulip", seed=k), path, 64)
    return [str(tmp_path / f"in/{k % 2}/{k}.png") for k in range(PICTURES)]


@pytest.fixture
def by_command(command: Path, tmp_path: Path, pictures: list[str]):
    """Fits all pictures with the command, in one process."""

    def run(options: dict, out: Path) -> list[dict]:
        (tmp_path / "list.txt").write_text("\n".join(pictures))
        words = [f"--{name}={value}" for name, value in options.items()]
        line = [command, "fit", "--list", tmp_path / "list.txt", "-o", out, *words]
        line += ["--summary", tmp_path / "summary.jsonl"]
        subprocess.run(line, check=True, capture_output=True, timeout=PATIENCE)
        return [json.loads(line) for line in (tmp_path / "summary.jsonl").open()]

    return run


def made(folder: Path) -> dict[str, bytes]:
    """All that is seen in a folder, by paths in it. (What the killed were writing is hidden.)"""
    files = (path for path in folder.rglob("[!.]*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def statuses(records: list) -> list[str]:
    return [record.status for record in records]


def when_begun(out: Path, action) -> threading.Thread:
    """Does something as soon as there is a checkpoint."""

    def watch() -> None:
        end = time.monotonic() + PATIENCE
        while not list(out.rglob("*.checkpoint")) and time.monotonic() < end:
            time.sleep(0.01)
        action()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_records_and_files_are_those_of_the_command(client, pictures, by_command, tmp_path):
    records = many.fit_many(pictures, tmp_path / "out", client, **QUICK)
    summary = by_command(QUICK, tmp_path / "whole")
    assert made(tmp_path / "out") == made(tmp_path / "whole")
    own = {"program", "seconds", "peak_memory_bytes", "worker"}
    for record, line in zip(records, summary):
        told = {name: value for name, value in record._asdict().items() if name not in own}
        assert told == {name: value for name, value in line.items() if name not in own}
        assert record.program == line["program"].replace("whole", "out")
        assert record.seconds > 0 and record.peak_memory_bytes > 1e6


def test_what_is_done_is_not_done_again_by_either(client, pictures, by_command, tmp_path):
    many.fit_many(pictures[:2], tmp_path / "out", client, **QUICK)
    summary = by_command(QUICK, tmp_path / "out")
    assert [line["status"] for line in summary] == ["done before"] * 2 + ["fitted"] * 3
    records = many.fit_many(pictures, tmp_path / "out", client, **QUICK)
    assert statuses(records) == ["done before"] * PICTURES
    assert [record.psnr for record in records] == [line["psnr"] for line in summary]
    # Options and pixels decide, not names; and nothing is replaced.
    before = made(tmp_path / "out")
    tbr.save_render(tbr.sample("battal"), pictures[0], 64, force=True)
    records = many.fit_many(pictures, tmp_path / "out", client, **QUICK)
    assert statuses(records) == ["failed"] + ["done before"] * 4
    assert "is there already" in records[0].error
    assert set(statuses(many.fit_many(pictures, tmp_path / "out", client, seed=1))) == {"failed"}
    assert made(tmp_path / "out") == before


def test_one_bad_picture_does_not_end_the_others(client, pictures, tmp_path):
    bad = tmp_path / "bad.png"
    bad.write_text("no picture")
    listed = [str(bad), pictures[0], str(tmp_path / "none.png"), "memory://none/x.png"]
    records = many.fit_many(listed, tmp_path / "out", client, **QUICK)
    assert statuses(records) == ["failed", "fitted", "failed", "failed"]
    assert all(name in record.error for name, record in zip(listed, records) if record.error)


def test_what_cannot_be_asked_is_refused_before_anything_is_fitted(client, pictures, tmp_path):
    with pytest.raises(TypeError, match="stroks"):
        many.fit_many(pictures, tmp_path / "out", client, stroks=3)
    twice = [pictures[0], pictures[0].replace(".png", ".jpg")]
    with pytest.raises(tbr.RequestError, match="would both be written"):
        many.fit_many(twice, tmp_path / "out", client)
    with pytest.raises(tbr.RequestError, match=r"\.\."):
        many.fit_many(["../a.png"], tmp_path / "out", client)
    assert many.fit_many([], tmp_path / "out", client) == []
    assert not (tmp_path / "out").exists()


def fail(times: int) -> None:
    """So many fits of this process fail, for a reason outside."""
    fitted = getattr(many, "unharmed", many._fitted)
    left = [times]

    def failing(*asked):
        left[0] -= 1
        if left[0] >= 0:
            raise OSError("the network is gone")
        return fitted(*asked)

    many.unharmed, many._fitted = fitted, failing


def test_what_fails_for_a_reason_outside_is_tried_again(client, pictures, tmp_path):
    client.run(fail, 1)
    records = many.fit_many(pictures[:1], tmp_path / "out", client, retries=2, **QUICK)
    assert statuses(records) == ["fitted"]
    client.run(fail, 9)
    records = many.fit_many(pictures[1:2], tmp_path / "out", client, retries=1, **QUICK)
    client.run(fail, 0)
    assert statuses(records) == ["failed"] and "network is gone" in records[0].error


def fill_once() -> None:
    """The first fit of this process finds no room for its files."""
    fitted = getattr(many, "unharmed", many._fitted)
    room = [1000]

    def finding(*asked):
        resource.setrlimit(
            resource.RLIMIT_FSIZE, (room.pop() if room else -1, resource.RLIM_INFINITY)
        )
        return fitted(*asked)

    many.unharmed, many._fitted = fitted, finding


def test_a_full_disk_is_not_the_pictures_fault(client, pictures, by_command, tmp_path):
    client.run(fill_once)
    records = many.fit_many(pictures, tmp_path / "out", client, retries=2, **QUICK)
    client.run(fail, 0)
    assert statuses(records) == ["fitted"] * PICTURES
    by_command(QUICK, tmp_path / "whole")
    assert made(tmp_path / "out") == made(tmp_path / "whole")


def test_a_worker_is_killed(client, pictures, by_command, tmp_path):
    workers = list(client.run(os.getpid).values())
    killing = when_begun(tmp_path / "out", lambda: os.kill(workers[0], signal.SIGKILL))
    records = many.fit_many(pictures, tmp_path / "out", client, **OFTEN, **LONG)
    killing.join()
    assert workers[0] not in client.run(os.getpid).values()
    assert set(statuses(records)) == {"fitted"}
    by_command(LONG, tmp_path / "whole")
    assert made(tmp_path / "out") == made(tmp_path / "whole")


def test_what_a_callback_raises_stops_all_and_the_same_call_goes_on(
    client, pictures, by_command, tmp_path
):
    def enough(record):
        raise ZeroDivisionError(record.picture)

    with pytest.raises(ZeroDivisionError):
        many.fit_many(pictures, tmp_path / "out", client, callback=enough, **LONG)
    left = made(tmp_path / "out")
    assert any(name.endswith(".checkpoint") for name in left)
    time.sleep(0.5)
    assert made(tmp_path / "out") == left
    heard = []
    records = many.fit_many(
        pictures, tmp_path / "out", client, callback=lambda record: heard.append(record), **LONG
    )
    assert sorted(heard) == sorted(records) and "done before" in statuses(records)
    by_command(LONG, tmp_path / "whole")
    assert made(tmp_path / "out") == made(tmp_path / "whole")


SCRIPT = """
import sys
from tbr.distributed import fit_many

if __name__ == "__main__":
    fit_many(sys.argv[2:], sys.argv[1], preset="fast", strokes=40, size=96, steps=4000)
"""


def test_on_this_machine_only_and_ctrl_c_leaves_checkpoints(pictures, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    out = tmp_path / "out"
    line = [sys.executable, tmp_path / "script.py", out, *pictures]
    # (What runs in the background of a shell is born with Ctrl-C ignored.)
    listen = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    script = psutil.Popen(line, start_new_session=True, stderr=subprocess.PIPE, preexec_fn=listen)
    end = time.monotonic() + PATIENCE
    while not out.exists():
        assert script.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    family = [script, *script.children(recursive=True)]
    listening = [
        connection.laddr.ip
        for process in family
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening and set(listening) == {"127.0.0.1"}
    os.killpg(script.pid, signal.SIGINT)
    talk = script.communicate(timeout=PATIENCE)[1].decode()
    assert script.returncode != 0 and "KeyboardInterrupt" in talk
    assert all(name.endswith(".checkpoint") for name in made(out)) and made(out)
    assert not psutil.wait_procs(family, timeout=PATIENCE)[1]


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch):
    """An S3 of our own, on loopback."""
    wanted("s3fs")
    server = wanted("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    import s3fs

    system = s3fs.S3FileSystem(skip_instance_cache=True)
    system.mkdir("marbling")
    yield system
    server.stop()


def test_pictures_and_programs_on_s3(bucket, pictures, by_command, tmp_path):
    names = [Path(path).relative_to("/").as_posix() for path in pictures]
    for path, name in zip(pictures, names):
        bucket.put_file(path, f"marbling/{name}")
    addresses = [f"s3://marbling/{name}" for name in names]

    def killed() -> None:
        """A worker dies as soon as there is a checkpoint."""
        while not any(name.endswith(".checkpoint") for name in bucket.find("marbling/out")):
            time.sleep(0.05)
            bucket.invalidate_cache()
        os.kill(workers[0], signal.SIGKILL)

    asked = dict(host="127.0.0.1", threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with distributed.LocalCluster(n_workers=2, **asked) as cluster:
        with distributed.Client(cluster) as client:
            workers = list(client.run(os.getpid).values())
            killing = threading.Thread(target=killed)
            killing.start()
            many.fit_many(addresses, "s3://marbling/out", client, **OFTEN, **LONG)
            killing.join()
            assert workers[0] not in client.run(os.getpid).values()
            records = many.fit_many(addresses, "s3://marbling/out", client, **LONG)
    assert statuses(records) == ["done before"] * PICTURES
    by_command(LONG, tmp_path / "whole")
    bucket.get("marbling/out/marbling", str(tmp_path / "fetched"), recursive=True)
    assert made(tmp_path / "fetched") == made(tmp_path / "whole")


def test_the_table_tells_what_has_become_of_pictures(capsys):
    from tbr._live import Table

    with Table(3, wanted=True) as table:
        table.add(many.Record("a.png", "a.tbr.json", "fitted", psnr=25.0, strokes=9, seconds=1.0))
        table.add(many.Record("b.png", "b.tbr.json", "failed", error="b.png: no picture"))
        text = table.text()
    assert "25.00" in text and "b.png: no picture" in text
    assert "2 of 3: 1 fitted, 1 failed" in text
    # Nobody looks: this is no terminal.
    assert capsys.readouterr().err == ""
