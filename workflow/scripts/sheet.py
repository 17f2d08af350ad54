"""A contact sheet: a row for each picture, with its replays beside it, and PSNR in the mean."""

import csv
import os
from html import escape
from pathlib import Path
from statistics import fmean
from urllib.parse import quote

STYLE = "td { padding: 4px; font: 12px sans-serif } img { width: 240px; display: block }"
HERE = Path(snakemake.output[0]).parent


def image(path: str, words: str) -> str:
    """A picture with words below."""
    place = quote(os.path.relpath(path, HERE))
    return f'<td><a href="{place}"><img loading="lazy" src="{place}"></a>{escape(words)}'


def replay(row: dict | None) -> str:
    """The replay of a picture's program, or why there is none."""
    if row is None:
        return "<td>not listed then"
    if row["status"] == "failed":
        return f"<td>{escape(row['error'])}"
    path = row["program"].removesuffix(".json") + ".png"
    return image(path, f"{float(row['psnr'] or 'inf'):.1f} dB, {row['strokes']} strokes")


pictures: dict[str, dict[str, dict]] = {}
with open(snakemake.input[0], newline="") as table:
    for row in csv.DictReader(table):
        pictures.setdefault(row["picture"], {})[row["fit"]] = row
fits = sorted({fit for row in pictures.values() for fit in row})


def heading(fit: str) -> str:
    """A fit's name, its PSNR in the mean, and how many failed."""
    rows = [row[fit] for row in pictures.values() if fit in row]
    psnr = [float(row["psnr"]) for row in rows if row["psnr"]]
    failed = sum(row["status"] == "failed" for row in rows)
    mean = f"{fmean(psnr):.2f} dB in the mean" if psnr else "no scores"
    return f"<td>{escape(fit)}: {mean}, {failed} of {len(rows)} failed"


lines = [f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><table>"]
lines += ["<tr><td>" + "".join(heading(fit) for fit in fits)]
for picture, row in list(pictures.items())[: snakemake.params.pictures]:
    lines += ["<tr>" + image(picture, picture) + "".join(replay(row.get(fit)) for fit in fits)]
Path(snakemake.output[0]).write_text("\n".join(lines) + "\n")
