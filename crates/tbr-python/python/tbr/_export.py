"""Programs on their way out, and in: films, and lists of strokes."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Optional

import numpy as np
import numpy.typing as npt

from . import _tbr
from ._tbr import Program
from ._verbs import Colour, Path, Region, looks_of
from .errors import RequestError


def animate(
    program: Program,
    path: Path,
    *,
    seconds: Optional[float] = None,
    fps: float = 30.0,
    frames: Optional[int] = None,
    hold: float = 1.5,
    easing: str = "linear",
    grow: Optional[float] = None,
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

    It takes 10 seconds, or so many `seconds` or `frames`, and its last frame stays for `hold`
    seconds more. `easing` is linear, in, out or in-out. `grow` is how long a deposit grows, half
    a second if nothing is said; with 0 strokes appear at once. `morph_to` is another program,
    which differs in numbers only, for this one to become. The film is 512 pixels wide if no side
    is given.

    >>> tbr.animate(tbr.sample("battal").first(9), "battal.gif", frames=3, width=32)
    """
    if seconds is not None and frames is not None:
        raise RequestError("seconds and frames: only one of them")
    looks = looks_of(width, height, region, samples, None, operator, background)
    course = dict(seconds=seconds, fps=fps, frames=frames, easing=easing, grow=grow)
    film = _tbr.Film(program, morph_to, course, looks)
    _tbr.animate(film, path, fps, hold, once, force)


def frames(
    program: Program,
    count: int,
    *,
    seconds: Optional[float] = None,
    easing: str = "linear",
    grow: Optional[float] = None,
    morph_to: Optional[Program] = None,
    width: Optional[int] = None,
    height: Optional[int] = None,
    region: Optional[Region] = None,
    samples: int = 1,
    background: Optional[Colour] = None,
    operator: Optional[str] = None,
) -> Iterator[npt.NDArray[np.uint8]]:
    """The frames of such a film as arrays, one by one: so many, of so many seconds.

    >>> [frame.shape for frame in tbr.frames(tbr.sample("battal"), 2, width=16)]
    [(16, 16, 3), (16, 16, 3)]
    """
    looks = looks_of(width, height, region, samples, None, operator, background)
    course = dict(seconds=seconds, fps=None, frames=count, easing=easing, grow=grow)
    film = _tbr.Film(program, morph_to, course, looks)
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

    >>> print(tbr.to_csv(tbr.sample("battal").first(9), sheet=300).splitlines()[2])
    # sheet: 300 x 300 mm
    """
    return _tbr.strokes_to_csv(program, sheet, thickness, operator)


def to_list(
    program: Program,
    *,
    sheet: Optional[float] = None,
    thickness: Optional[float] = None,
    operator: Optional[str] = None,
) -> Dict[str, Any]:
    """The same as what `tbr export -o x.json` writes.

    >>> strokes = tbr.to_list(tbr.sample("battal").first(9))["strokes"]
    >>> len(strokes), strokes[0]["number"]
    (9, 1)
    """
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
