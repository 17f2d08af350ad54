"""Other processes, threads and signals."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import tbr
from conftest import wanted

#: A hang is told after so many seconds; what is waited for takes less than one.
PATIENCE = 60
#: How soon Ctrl-C is to be heard, seconds. (A tenth on a machine that has nothing else to do.)
SOON = 0.1
#: What a machine that is busy with other things may add to it.
BUSY = 2.0


def pixels(program: tbr.Program) -> np.ndarray:
    return tbr.render(program, 64)


def half(k: int) -> np.ndarray:
    return tbr.render(tbr.sample("battal", seed=k), 48)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_workers_get_programs_and_render_them(sheet, way):
    expected = pixels(sheet)
    context = multiprocessing.get_context(way)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        for picture in pool.map(pixels, [sheet] * 3, timeout=PATIENCE):
            assert np.array_equal(picture, expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
def test_a_forked_loader_of_data_does_not_hang(sheet):
    torch = wanted("torch")
    importlib.import_module("tbr.torch")
    pixels(sheet)
    keywords = tbr.torch.of_program(sheet)
    expected = tbr.torch.render(**keywords, width=16)

    class Sheets(torch.utils.data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, k):
            loss, d = tbr.gradient(sheet, np.full((32, 32, 3), k / 6))
            relaxed = tbr.torch.render(**keywords, width=16)
            return torch.tensor(half(k)), torch.tensor(d.anchors), relaxed

    loader = torch.utils.data.DataLoader(
        Sheets(), num_workers=2, multiprocessing_context="fork", timeout=PATIENCE
    )
    for k, (picture, _, relaxed) in enumerate(loader):
        assert np.array_equal(picture[0], half(k)) and torch.equal(relaxed[0], expected)


def test_threads_work_side_by_side(sheet):
    expected = {k: half(k) for k in range(6)}
    with ThreadPoolExecutor(6) as pool:
        for k, picture in enumerate(pool.map(half, range(6))):
            assert np.array_equal(picture, expected[k])


def test_the_interpreter_is_free_meanwhile(picture):
    counted = 0
    fit = threading.Thread(
        target=tbr.fit, args=(picture,), kwargs=dict(strokes=200, preset="fast", size=256, steps=3)
    )
    fit.start()
    while fit.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 20


def test_one_fit_is_not_stepped_twice_at_once(picture):
    fit = tbr.Fit(picture, strokes=300, preset="fast", size=256, steps=2)
    refused = []

    def steps():
        try:
            for _ in fit:
                pass
        except tbr.RequestError as problem:
            refused.append(str(problem))

    threads = [threading.Thread(target=steps) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    assert all("another thread" in words for words in refused)


def interrupted(work: str) -> tuple[float, str]:
    """Presses Ctrl-C in a process that is at work, and says how long it took to be heard."""
    code = f"""
        import numpy as np, signal, sys, threading, time
        import tbr
        # (What runs in the background of a shell is born with Ctrl-C ignored.)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sheet = tbr.sample("nonpareil")
        picture = tbr.render(sheet, 512, samples=3)
        rng = np.random.default_rng(1)
        many = tbr.Program(
            rng.uniform(0, 1, (20_000, 2)),
            rng.uniform(-0.05, 0.05, (20_000, 2)),
            rng.uniform(0.003, 0.01, 20_000),
            rng.uniform(0, 1, (20_000, 3)),
        )
        pressed = []
        def press():
            time.sleep(0.7)
            pressed.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)
        threading.Thread(target=press, daemon=True).start()
        try:
            {work}
        except KeyboardInterrupt as stopped:
            print(time.monotonic() - pressed[0])
            print(getattr(stopped, "program", None))
    """
    code = textwrap.dedent(code)
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE
    )
    assert told.returncode == 0, told.stderr
    seconds, program = told.stdout.splitlines()
    return float(seconds), program


@pytest.mark.parametrize(
    "work",
    [
        "tbr.fit(picture, strokes=3000, preset='best')",
        "tbr.render(sheet, 30000, samples=2)",
        "tbr.gradient(sheet, np.zeros((400, 400, 3)), engine='stored', precision='double')",
        "tbr.gradient(sheet, np.zeros((4000, 4000, 3)), engine='replay')",
        "[tbr.gradient(sheet, np.zeros((2000, 2000, 3))) for _ in range(99)]",
        "list(tbr.frames(sheet, 5000))",
        "tbr.prune(sheet, strokes=5)",
        "tbr.svg(sheet.replace(operator='drops'))",
        "tbr.to_csv(many)",
        "tbr.report(many, picture, width=1024)",
        "tbr.score(many, picture, width=2800)",
        "[tbr.uncomb(picture) for _ in range(9)]",
        "tbr.fit(picture, strokes=300, comb=True)",
    ],
)
def test_ctrl_c_is_heard(work):
    seconds, _ = interrupted(work)
    print(f"{seconds:.3f} s")
    assert seconds < SOON + BUSY


def test_ctrl_c_leaves_the_best_program():
    work = "tbr.fit(picture, strokes=200, preset='fast', size=128, steps=100000)"
    seconds, program = interrupted(work)
    assert seconds < SOON + BUSY and program.startswith("<tbr.Program")


def test_a_file_that_is_not_finished_is_not_there(tmp_path):
    path = tmp_path / "a.png"
    interrupted(f"tbr.save_render(sheet, {str(path)!r}, 30000, samples=2)")
    assert list(tmp_path.iterdir()) == []
