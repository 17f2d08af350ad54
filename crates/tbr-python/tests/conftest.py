"""What all tests use. torch, jax and Dask are demanded where TBR_PYTHON=required, else skipped."""

from __future__ import annotations

import importlib
import os
import subprocess
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import tbr

ROOT = Path(__file__).resolve().parents[3]
REQUIRED = os.environ.get("TBR_PYTHON") == "required"


def wanted(name: str) -> ModuleType:
    """A module; the tests are skipped without it, unless it is demanded."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        if REQUIRED:
            raise
        pytest.skip(f"{name} is not tested: {problem}", allow_module_level=True)


@pytest.fixture(scope="session")
def command() -> Path:
    """The command `tbr`, as it was built last."""
    built = [ROOT / "target" / kind / "tbr" for kind in ("release", "debug")]
    built = [path for path in built if path.exists()]
    if not built:
        if REQUIRED:
            subprocess.run(["cargo", "build", "--release"], cwd=ROOT, check=True)
            return ROOT / "target/release/tbr"
        pytest.skip("the command tbr is not built: cargo build --release")
    return max(built, key=lambda path: path.stat().st_mtime)


@pytest.fixture
def run(command: Path, tmp_path: Path):
    """Runs the command in a folder of its own; gives what it prints."""

    def run(*words: object) -> str:
        return subprocess.run(
            [command, *map(str, words)], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    return run


@pytest.fixture(scope="session")
def sheet() -> tbr.Program:
    """Drops with tools between them and at the end."""
    return tbr.sample("nonpareil")


@pytest.fixture(scope="session")
def garden() -> tbr.Program:
    """A shipped program, of lines and drops with a palette and colours of their own."""
    return tbr.load(ROOT / "programs/garden.tbr.json")


@pytest.fixture(scope="session")
def picture(sheet: tbr.Program) -> np.ndarray:
    return tbr.render(sheet, width=96, samples=3)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)
