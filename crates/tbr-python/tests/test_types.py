"""Types and documentation: what they say is so."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tbr
from conftest import REQUIRED, ROOT, wanted

PACKAGE = ROOT / "crates/tbr-python"

SAMPLE = """
import numpy as np
import numpy.typing as npt
import tbr

program: tbr.Program = tbr.load("a.tbr.json")
picture: npt.NDArray[np.uint8] = tbr.render(program, 800, samples=3)
fitted: tbr.Program = tbr.fit(picture, strokes=200, palette=["#000000"], callback=print)
for report in tbr.Fit(picture, strokes=200):
    ratio: float = report.floor_ratio
loss, d = tbr.gradient(program, picture, engine="stored")
step: npt.NDArray[np.float64] = program.anchors - 0.1 * d.anchors
moved: tbr.Program = program.replace(anchors=step)
kinds: list[str] = [tool.kind for tool in program.tools]
mse: float | None = tbr.score(program, picture)["mse"]
"""

WRONG = {
    'tbr.fit("a.png", stroks=3)': "stroks",
    'tbr.fit("a.png", strokes="many")': "strokes",
    'tbr.load("a").anchors = 3': "anchors",
    'x: str = tbr.load("a").height': "str",
}


def checked(tmp_path: Path, text: str) -> str:
    wanted("mypy")
    file = tmp_path / "sample.py"
    file.write_text(text)
    cache = ROOT / "target/python/mypy"
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), str(file)]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout


def test_strict_types_accept_what_is_right(tmp_path):
    told = checked(tmp_path, SAMPLE)
    assert "Success" in told, told


def test_strict_types_refuse_what_is_wrong(tmp_path):
    told = checked(tmp_path, "import tbr\n" + "\n".join(WRONG) + "\n")
    for line, words in enumerate(WRONG.values(), 2):
        assert any(f"sample.py:{line}:" in row and words in row for row in told.splitlines()), told


def test_the_package_is_strictly_typed():
    wanted("mypy"), wanted("torch"), wanted("jax")
    cache = ROOT / "target/python/mypy"
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(cache), "python/tbr"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE)
    assert told.returncode == 0, told.stdout


def test_stubs_are_those_of_the_extension():
    wanted("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "tbr._tbr"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE)
    assert told.returncode == 0, told.stdout


@pytest.mark.parametrize("name", ["_export", "_fit", "_verbs", "reference", "torch", "jax"])
def test_examples_in_documentation_run(name, tmp_path, monkeypatch):
    if name in ("torch", "jax"):
        wanted(name)
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(f"tbr.{name}")
    told = doctest.testmod(module, globs={**vars(module), "tbr": tbr, "np": np})
    assert told.failed == 0 and told.attempted > 0


def test_examples_of_the_extension_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documented = {name: value for name, value in vars(tbr).items() if is_extensions(value)}
    for kind in (tbr.Program, tbr.Tool):
        for name, value in vars(kind).items():
            documented[f"{kind.__name__}.{name}"] = value
    examples = 0
    for name, value in documented.items():
        text = getattr(value, "__doc__", None) or ""
        test = doctest.DocTestParser().get_doctest(text, {"tbr": tbr, "np": np}, name, None, 0)
        told = doctest.DocTestRunner().run(test)
        assert told.failed == 0, name
        examples += told.attempted
    assert examples > 20


def is_extensions(value) -> bool:
    return getattr(value, "__module__", None) in ("tbr", "tbr._tbr")


def test_every_function_has_an_example():
    public = {name: getattr(tbr, name) for name in tbr.__all__ if not name.startswith("__")}
    for name in ("first", "dumps", "save", "replace"):
        public[name] = getattr(tbr.Program, name)
    for name, value in public.items():
        if name != "FitOptions":
            assert value.__doc__, name
        is_function = callable(value) and not isinstance(value, type)
        assert not is_function or ">>> " in value.__doc__, name
