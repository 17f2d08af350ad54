"""The template for render farms, checked and run by openjd-cli."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from conftest import ROOT, TBR, made, run

TEMPLATE = ROOT / "workflow/fit.openjd.yaml"
OPENJD = Path(sys.executable).with_name("openjd")
SHARDS = 2


def test_the_template_is_valid_and_its_tasks_make_what_one_process_makes(bench, tmp_path):
    run(OPENJD, "check", TEMPLATE)
    out = tmp_path / "out with ' in it"
    asked = {"Pictures": bench / "some.txt", "Out": out, "Shards": SHARDS, "Strokes": 9}
    given = [part for name, value in asked.items() for part in ("-p", f"{name}={value}")]
    path = {**os.environ, "PATH": f"{TBR.parent}:{os.environ['PATH']}"}
    names = (bench / "pictures.txt").read_text().split()[:3]
    (bench / "some.txt").write_text("\n".join(str(bench / name) for name in names))
    out.mkdir()
    run(OPENJD, "run", TEMPLATE, *given, env=path)
    lines = [line for k in range(SHARDS) for line in (out / f"{k + 1}.jsonl").open()]
    assert len(lines) == len(names)
    assert {json.loads(line)["status"] for line in lines} == {"fitted"}
    whole = ["--preset", "fast", "--strokes", 9, "-o", tmp_path / "whole"]
    run(TBR, "fit", "--list", bench / "some.txt", *whole)
    assert made(out / "programs") == made(tmp_path / "whole")
