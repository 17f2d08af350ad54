"""Programs on their way out, and in: films, and lists of strokes."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Optional

import numpy as np
import numpy.typing as npt

from . import _tbr
from ._tbr import Program
from ._verbs import Colour, Path, Region, looks_of


def _film(
    program: Program, morph_to: Optional[Program], course: Dict[str, Any], looks: Dict[str, Any]
) -> _tbr.Film:
    for key, usual in dict(frames=None, easing="linear", grow=0.5, seconds=10.0, fps=30.0).items():
        course.setdefault(key, usual)
    return _tbr.Film(program, morph_to, course, looks)


def animate(
    program: Program,
    path: Path,
    *,
    seconds: float = 10.0,
    fps: float = 30.0,
    frames: Optional[int] = None,
    hold: float = 1.5,
    easing: str = "linear",
    grow: float = 0.5,
    once: bool = False,
    morph_to: Optional[Program] = None,
    width: Optional[int] = None,
    height: Optional[int] = None,
    region: Optional[Region] = None,
    samples: int = 1,
    background: Optional[Colour] = None,
    operator: Optional[str] = None,
    force: bool = False,
) -> None:
    """Writes a film of a program being laid down: *.gif, *.png, *.webp, *.mp4, or a folder.

    `grow` is how long a deposit grows, in seconds; with 0 strokes appear at once. `morph_to` is
    another program, which differs in numbers only, for this one to become.
    """
    looks = looks_of(width, height, region, samples, None, operator, background)
    course = dict(seconds=seconds, fps=fps, frames=frames, easing=easing, grow=grow)
    _tbr.animate(_film(program, morph_to, course, looks), path, fps, hold, once, force)


def frames(
    program: Program,
    count: int,
    *,
    seconds: float = 10.0,
    easing: str = "linear",
    grow: float = 0.5,
    morph_to: Optional[Program] = None,
    width: Optional[int] = None,
    height: Optional[int] = None,
    region: Optional[Region] = None,
    samples: int = 1,
    background: Optional[Colour] = None,
    operator: Optional[str] = None,
) -> Iterator[npt.NDArray[np.uint8]]:
    """The frames of such a film as arrays, one by one.

    >>> [frame.shape for frame in tbr.frames(tbr.sample("battal"), 2, width=16)]
    [(16, 16, 3), (16, 16, 3)]
    """
    looks = looks_of(width, height, region, samples, None, operator, background)
    fps = count / seconds if seconds > 0 else 30.0
    course = dict(seconds=seconds, fps=fps, frames=count, easing=easing, grow=grow)
    film = _film(program, morph_to, course, looks)
    return (film.frame(k) for k in range(count))


def to_csv(
    program: Program,
    *,
    sheet: Optional[float] = None,
    thickness: Optional[float] = None,
    operator: Optional[str] = None,
) -> str:
    """The strokes as a table for whoever lays them, in canvas widths, or in mm of a sheet so wide.

    `thickness` of the film of paint, in micrometres, adds volumes. `from_csv` reads it back.
    """
    return _tbr.strokes_to_csv(program, sheet, thickness, operator)


def to_list(
    program: Program,
    *,
    sheet: Optional[float] = None,
    thickness: Optional[float] = None,
    operator: Optional[str] = None,
) -> Dict[str, Any]:
    """The same as what `tbr export -o x.json` writes."""
    text = _tbr.strokes_to_json(program, sheet, thickness, operator)
    strokes: Dict[str, Any] = json.loads(text)
    return strokes


def from_csv(
    text: str,
    *,
    sheet: Optional[float] = None,
    height: Optional[float] = None,
    background: Optional[Colour] = None,
    operator: Optional[str] = None,
) -> Program:
    """The program that a table of strokes holds; keywords say what it does not.

    >>> sheet = tbr.sample("battal")
    >>> tbr.from_csv(tbr.to_csv(sheet)).anchors.shape == sheet.anchors.shape
    True
    """
    return _tbr.strokes_from_csv(text, sheet, height, background, operator)
