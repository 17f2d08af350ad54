"""What all tests use: pictures, and what one process makes of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TBR = ROOT / "target/release/tbr"
PICTURES = 6
#: Long enough to be killed in the middle.
OPTIONS = ["--preset", "fast", "--strokes", "40", "--size", "96", "--steps", "300"]
#: A hang is told after so many seconds.
PATIENCE = 240


def run(*command: object, **more: object) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], check=True, timeout=PATIENCE, **more)


def made(folder: Path) -> dict[Path, bytes]:
    """All that is seen in a folder, by paths in it: programs and replays, if all is well."""
    files = (path for path in folder.rglob("[!.]*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures, a list of them, and in `whole` what one process makes of it."""
    folder = tmp_path_factory.mktemp("bench")
    names = [f"in/{k % 2}/{k}.png" for k in range(PICTURES)]
    for k, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        run(TBR, "sample", "tulip", "--seed", k, "--width", 96, "--height", 96, "-o", folder / name)
    (folder / "pictures.txt").write_text("\n".join(names))
    run(TBR, "fit", "--list", "pictures.txt", "-o", "whole", *OPTIONS, cwd=folder)
    return folder
