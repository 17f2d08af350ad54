"""Programs of deposition strokes, as in paper marbling: replay, differentiate, fit, edit them.

A stroke lays down a capsule of paint and pushes all earlier paint aside without changing its
area. A `Program` is an ordered list of strokes, and of tools that only move paint. `render`
replays it at any size, `gradient` differentiates its picture with respect to every number in it,
`fit` finds one for a picture, and `edit` changes one step by step, with the paint flowing anew.

`tbr.torch` and `tbr.jax` have the relaxed picture as a function to differentiate, for any loss;
`tbr.reference` is a slow, readable twin in NumPy.
"""

from ._export import animate, frames, from_csv, to_csv, to_list
from ._fit import Fit, FitOptions, Report, fit
from ._tbr import (
    Program,
    Tool,
    __version__,
    load,
    loads,
    sample,
    sample_names,
    set_threads,
    threads,
)
from ._verbs import (
    Gradient,
    Trace,
    edit,
    gradient,
    info,
    owners,
    prune,
    render,
    report,
    save_render,
    score,
    svg,
    trace,
    uncomb,
)
from .errors import Error, FileError, LimitError, Note, ProgramError, RequestError, StoppedError

__all__ = [
    "Error",
    "FileError",
    "Fit",
    "FitOptions",
    "Gradient",
    "LimitError",
    "Note",
    "Program",
    "ProgramError",
    "Report",
    "RequestError",
    "StoppedError",
    "Tool",
    "Trace",
    "__version__",
    "animate",
    "edit",
    "fit",
    "frames",
    "from_csv",
    "gradient",
    "info",
    "load",
    "loads",
    "owners",
    "prune",
    "render",
    "report",
    "sample",
    "sample_names",
    "save_render",
    "score",
    "set_threads",
    "svg",
    "threads",
    "to_csv",
    "to_list",
    "trace",
    "uncomb",
]
