"""The examples and the README run, and come to what they promise."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from conftest import ROOT, wanted


@pytest.mark.parametrize(
    "name, needs, promise",
    [
        ("fit_and_film", None, r"its film is sheet.gif"),
        ("own_loss", "torch", r"step 90: 0.000[1-6]"),
        ("recover_strokes", None, r"colours: 0.\d% of the way is left"),
        ("from_jax", "jax", r"60 strokes.*1[4-9]\.\d\d dB"),
    ],
)
def test_examples_run(name, needs, promise, tmp_path):
    if needs:
        wanted(needs)
    told = subprocess.run(
        [sys.executable, ROOT / f"crates/tbr-python/examples/{name}.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    assert re.search(promise, told.stdout), told.stdout


def test_the_readme_runs(tmp_path, monkeypatch):
    wanted("torch"), wanted("tqdm")
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "crates/tbr-python/README.md").read_text()
    known = dict(my_loss=lambda picture: picture.square().mean())
    for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL):
        exec(code, known)
    assert len(known["program"]) == 501 and known["numbers"]["anchors"].grad.abs().sum() > 0
    assert {path.name for path in tmp_path.iterdir()} == {"large.png", "tulip.tbr.json"}
