"""Scores of a shard's programs: the lines of its summary with what `tbr score` says of each."""

import json
import shlex
import subprocess


def scores(line: dict) -> dict:
    """The scores of a picture's program at the picture's own size."""
    if line["status"] == "failed":
        return {}
    command = [*shlex.split(snakemake.config["tbr"]), "score", line["program"], line["picture"]]
    command += ["--width", "native", "--threads", str(snakemake.threads), "--json"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return {f"score_{name}": value for name, value in json.loads(told.stdout).items()}


with open(snakemake.input[0]) as summary, open(snakemake.output[0], "w") as output:
    for line in map(json.loads, summary):
        print(json.dumps(line | scores(line)), file=output)
