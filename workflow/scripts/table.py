"""One table of all fits: a row for each picture and fit."""

import csv
import json
from pathlib import Path

rows = []
for place in map(Path, snakemake.input):
    fit = place.parent.parent.name
    rows += [{"fit": fit, **json.loads(line)} for line in place.read_text().splitlines()]
columns = {name: None for row in rows for name in row}
with open(snakemake.output[0], "w", newline="") as output:
    table = csv.DictWriter(output, columns)
    table.writeheader()
    table.writerows(sorted(rows, key=lambda row: (row["picture"], row["fit"])))
