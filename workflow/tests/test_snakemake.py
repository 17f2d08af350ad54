"""The Snakefile, with jobs and Snakemake itself killed: the bytes are those of one process."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from conftest import OPTIONS, PATIENCE, PICTURES, ROOT, TBR, made, run


class Workflow:
    """A run of the Snakefile on the bench's pictures, with results in a folder of its own."""

    def __init__(self, bench: Path, folder: Path, **asked: object) -> None:
        self.out = folder / "out"
        config = {
            "pictures": str(bench / "pictures.txt"),
            "out": str(self.out),
            "shards": 3,
            "presets": ["fast"],
            "palettes": {"free": "free"},
            "seeds": [0],
            "options": " ".join([*OPTIONS[2:], "--checkpoint-every 0"]),
            "sheet": 4,
            "tbr": str(TBR),
        }
        (folder / "config.json").write_text(json.dumps(config | asked))
        self.command = [sys.executable, "-m", "snakemake", "--directory", bench]
        self.command += ["--snakefile", ROOT / "workflow/Snakefile"]
        self.command += ["--profile", ROOT / "workflow/profiles/machine"]
        self.command += ["--configfile", folder / "config.json"]

    def run(self, *more: str) -> str:
        """Runs it to its end, and gives what it says."""
        told = run(*self.command, *more, capture_output=True, text=True)
        return told.stdout + told.stderr

    def start(self) -> psutil.Popen:
        command = [str(part) for part in self.command]
        return psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def at_work(self, snakemake: psutil.Popen) -> list[psutil.Process]:
        """The fits at work, as soon as one of them has left a checkpoint."""
        end = time.monotonic() + PATIENCE
        while not list(self.out.rglob("*.checkpoint")):
            assert snakemake.poll() is None and time.monotonic() < end
            time.sleep(0.01)
        return [child for child in snakemake.children(recursive=True) if child.name() == "tbr"]

    def programs(self) -> dict[Path, bytes]:
        return made(self.out / "fast-free-0/programs")

    def logs(self) -> str:
        return "".join(log.read_text() for log in self.out.rglob("*.log"))

    def table(self) -> list[dict[str, str]]:
        with open(self.out / "table.csv", newline="") as table:
            return list(csv.DictReader(table))


def test_a_killed_job_goes_on_from_its_checkpoint(bench, tmp_path):
    workflow = Workflow(bench, tmp_path)
    snakemake = workflow.start()
    for fit in workflow.at_work(snakemake):
        fit.kill()
    assert snakemake.wait(PATIENCE) == 0
    assert "going on from" in workflow.logs()
    assert workflow.programs() == made(bench / "whole")
    table = workflow.table()
    assert len(table) == PICTURES and all(float(row["score_ssim"]) > 0 for row in table)
    assert (workflow.out / "sheet.html").read_text().count("<tr>") == 1 + 4


@pytest.mark.parametrize("power_cut", [False, True], ids=["jobs-live", "power-cut"])
def test_snakemake_itself_is_killed(bench, tmp_path, power_cut):
    workflow = Workflow(bench, tmp_path)
    snakemake = workflow.start()
    fits = workflow.at_work(snakemake)
    snakemake.send_signal(signal.SIGKILL)
    snakemake.wait(PATIENCE)
    for fit in fits if power_cut else []:
        fit.kill()
    workflow.run("--unlock")
    workflow.run()
    assert workflow.programs() == made(bench / "whole")
    assert "another process" not in workflow.logs()
    assert {row["status"] for row in workflow.table()} <= {"fitted", "done before"}


def test_a_bad_picture_is_told_and_a_longer_list_does_nothing_twice(bench, tmp_path):
    pictures = tmp_path / "pictures.txt"
    known = (bench / "pictures.txt").read_text()
    pictures.write_text(f"{known}\npictures.txt\n")
    workflow = Workflow(bench, tmp_path, pictures=str(pictures))
    workflow.run()
    table = {row["picture"]: row for row in workflow.table()}
    assert table.pop("pictures.txt")["status"] == "failed"
    assert {row["status"] for row in table.values()} == {"fitted"}
    assert "Nothing to be done" in workflow.run()
    pictures.write_text(known)
    workflow.run()
    assert {row["status"] for row in workflow.table()} == {"done before"}
    assert workflow.programs() == made(bench / "whole")


def test_a_sweep_is_a_list(bench, tmp_path):
    palettes = {"free": "free", "inks": "#000000,#ffffff"}
    options = "--strokes 8 --size 24 --steps 2"
    asked = dict(shards=1, palettes=palettes, seeds=[1, 2], options=options)
    workflow = Workflow(bench, tmp_path, **asked)
    workflow.run()
    table = workflow.table()
    fits = {f"fast-{palette}-{seed}" for palette in palettes for seed in (1, 2)}
    assert {row["fit"] for row in table} == fits and len(table) == PICTURES * len(fits)
    for row in table:
        program = json.loads(Path(row["program"]).read_text())
        assert row["fit"].endswith(f"-{program['provenance']['options']['seed']}")
        assert ("inks" in row["fit"]) == (len(program.get("palette", [])) == 2)
    sheet = (workflow.out / "sheet.html").read_text()
    shown = [workflow.out / place for place in re.findall('src="([^"]*)"', sheet)]
    assert len(shown) == 4 * (1 + len(fits)) and all(path.is_file() for path in shown)
