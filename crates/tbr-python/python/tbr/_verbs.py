"""What can be done with programs: what the command does, in Python's manners."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _tbr
from ._pictures import Picture, named, taken
from ._tbr import Program, Tool
from .errors import RequestError

Path = Union[str, "os.PathLike[str]"]
Region = Tuple[float, float, float, float]
#: Three numbers from 0 to 1, or words like "#1d3f73".
Colour = Union[str, Sequence[float], npt.NDArray[np.float64]]


def looks_of(
    width: Optional[int],
    height: Optional[int],
    region: Optional[Region],
    samples: int,
    first: Optional[int],
    operator: Optional[str],
    background: Optional[Colour],
) -> Dict[str, Any]:
    """What is seen of a program, and how, for the extension."""
    return dict(
        width=width,
        height=height,
        region=region,
        samples=samples,
        first=first,
        operator=operator,
        background=background,
    )


def render(
    program: Program,
    width: Optional[int] = None,
    height: Optional[int] = None,
    *,
    samples: int = 1,
    region: Optional[Region] = None,
    first: Optional[int] = None,
    operator: Optional[str] = None,
    background: Optional[Colour] = None,
    alpha: Optional[bool] = None,
    dtype: npt.DTypeLike = np.uint8,
) -> npt.NDArray[Any]:
    """A program as an array of pixels, (height, width, 3), or 4 with alpha.

    `width` is 1024 if no side is given. `samples` along each side of a pixel make smooth edges.
    `region` is x, y, width and height in canvas units, `first` only so many steps. `background`
    is a colour, or "none" for transparent, which adds an alpha channel unless `alpha` says
    otherwise. `dtype` is uint8, or float32 for values from 0 to 1.

    >>> tbr.render(tbr.sample("battal"), width=100).shape
    (100, 100, 3)
    >>> tbr.render(tbr.sample("battal"), 64, background="none", dtype="float32").shape
    (64, 64, 4)
    """
    looks = looks_of(width, height, region, samples, first, operator, background)
    kind = np.dtype(dtype)
    if kind not in (np.uint8, np.float32):
        raise TypeError(f"a picture of {kind}: it can be uint8 or float32")
    return _tbr.render(program, looks, alpha, bool(kind == np.float32))


def save_render(
    program: Program,
    path: Path,
    width: Optional[int] = None,
    height: Optional[int] = None,
    *,
    samples: int = 1,
    region: Optional[Region] = None,
    first: Optional[int] = None,
    operator: Optional[str] = None,
    background: Optional[Colour] = None,
    depth: int = 8,
    dpi: Optional[float] = None,
    quality: int = 95,
    crisp: bool = False,
    force: bool = False,
) -> None:
    """Writes a program's picture to *.png, *.jpg, *.webp or *.svg, whole or not at all.

    The bytes are those of `tbr render`. Pictures are written row by row, so that they may be
    larger than memory. `depth` is 8 bits a channel, or 16 for PNG, `dpi` pixels per inch, to be
    noted in the file, `quality` that of a JPEG; `crisp` asks viewers of an SVG for hard edges. A
    file that is there is replaced only with `force`.

    >>> tbr.save_render(tbr.sample("battal"), "battal.png", 200, samples=3)
    """
    looks = looks_of(width, height, region, samples, first, operator, background)
    if os.fspath(path).lower().endswith(".svg"):
        if depth != 8:
            raise RequestError("depth is for pixels: an SVG has none")
        _tbr.svg(program, looks, crisp, dpi, (path, force))
        return
    if crisp:
        raise RequestError("crisp is for SVG: samples=1 gives hard edges")
    _tbr.render_to(program, path, looks, dict(depth=depth, dpi=dpi, quality=quality), force)


def svg(
    program: Program,
    width: Optional[int] = None,
    height: Optional[int] = None,
    *,
    region: Optional[Region] = None,
    first: Optional[int] = None,
    operator: Optional[str] = None,
    background: Optional[Colour] = None,
    dpi: Optional[float] = None,
    crisp: bool = False,
) -> str:
    """A program's outlines as the text of an SVG.

    Its size is in pixels, or in inches of so many `dpi`; `crisp` asks viewers for hard edges.

    >>> "<path" in tbr.svg(tbr.sample("battal"))
    True
    """
    looks = looks_of(width, height, region, 1, first, operator, background)
    text = _tbr.svg(program, looks, crisp, dpi, None)
    return text if text is not None else ""


def owners(
    program: Program,
    width: Optional[int] = None,
    height: Optional[int] = None,
    *,
    region: Optional[Region] = None,
    first: Optional[int] = None,
    operator: Optional[str] = None,
) -> npt.NDArray[np.uint32]:
    """The number of the stroke that owns each pixel, counted from 1; 0 is the bare canvas.

    >>> owners = tbr.owners(tbr.sample("battal"), 64)
    >>> owners.shape, owners.dtype
    ((64, 64), dtype('uint32'))
    """
    return _tbr.owners(program, looks_of(width, height, region, 1, first, operator, None))


def edit(program: Program, *operations: str) -> Program:
    """The program after operations in the words of `tbr edit`, one after the other.

    >>> sheet = tbr.sample("battal")
    >>> combed = tbr.edit(sheet, "insert end comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03")
    >>> len(combed) - len(sheet)
    1
    """
    return _tbr.edit(program, list(operations))


def prune(
    program: Program,
    picture: Optional[Picture] = None,
    *,
    strokes: Optional[int] = None,
    error: Optional[float] = None,
    matte: Optional[Colour] = None,
) -> Program:
    """Fewer strokes for the same picture: so many, or as few as let pass so many per cent.

    With a picture, `error` is per cent of squared error; without, of pixels that change. It is 1
    if nothing is said.

    >>> sheet = tbr.sample("battal").first(60)
    >>> len(tbr.prune(sheet, strokes=50))
    50
    """
    if strokes is not None and error is not None:
        raise RequestError("strokes and error: only one of them")
    own = None if picture is None else taken(picture)
    return _tbr.prune(program, own, strokes, 1.0 if error is None else error, matte)[0]


class Trace(NamedTuple):
    """Where points came from, or went."""

    #: (n, 2): the place in the owning deposit when that was laid; of bare canvas, at the start.
    positions: npt.NDArray[np.float64]
    #: (n,): the numbers, among all steps, of the strokes that own them; 0 for bare canvas.
    strokes: npt.NDArray[np.int64]
    #: (n, 2): along and across that stroke from its middle, in half-widths; NaN for bare canvas.
    places: npt.NDArray[np.float64]


def trace(
    program: Program,
    at: Any,
    *,
    through: bool = False,
    forward: bool = False,
    after: int = 0,
    operator: Optional[str] = None,
) -> Trace:
    """Follows points of the picture back to the strokes that own them.

    `at` is one point, or (n, 2). `through` carries on through deposits to the very start;
    `forward` carries points of the sheet as it is `after` so many steps to the end.

    >>> where = tbr.trace(tbr.sample("battal"), at=(0.5, 0.5))
    >>> where.positions.shape, int(where.strokes[0]) > 0
    ((1, 2), True)
    """
    if through and forward:
        raise RequestError("through goes back, and forward forward: only one of them")
    if after != 0 and not forward:
        raise RequestError("after is for forward=True: where points lie after so many steps")
    points = np.asarray(at, dtype=np.float64)
    points = points[None, :] if points.ndim == 1 else points
    return Trace(*_tbr.trace(program, points, through, after if forward else None, operator))


class Gradient(NamedTuple):
    """Derivatives of a loss with respect to the numbers of a program, stroke by stroke."""

    anchors: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.float64]
    half_widths: npt.NDArray[np.float64]
    #: 0 where bends are not differentiated.
    bends: npt.NDArray[np.float64]
    colours: npt.NDArray[np.float64]
    background: npt.NDArray[np.float64]
    #: The numbers of all tools in a row.
    tools: npt.NDArray[np.float64]


def gradient(
    program: Program,
    target: Picture,
    *,
    tau: float = 0.35,
    tau_min: Optional[float] = None,
    width: Optional[int] = None,
    bends: bool = False,
    engine: str = "tiled",
    interval: Optional[int] = None,
    precision: str = "single",
    matte: Optional[Colour] = None,
) -> Tuple[float, Gradient]:
    """The mean squared error of a program's relaxed picture against a target, and its gradient.

    `tau` is the width of the rim over which coverage fades, as a share of the half-width, and
    `tau_min` its least width in canvas units, 0.7 pixels if not given. Engines are tiled,
    stored, checkpointed and replay, precisions single and double. Programs in which no stroke
    bends have derivatives with respect to bends only with `bends`.

    >>> program = tbr.sample("battal")
    >>> loss, d = tbr.gradient(program, np.full((64, 64, 3), 0.5), precision="double")
    >>> d.anchors.shape == program.anchors.shape
    True
    """
    settings = dict(tau=tau, tau_min=tau_min, engine=engine, interval=interval, precision=precision)
    loss, derivatives = _tbr.gradient(program, taken(target), width, matte, bends, settings)
    return loss, Gradient(*derivatives)


def score(
    subject: Union[Program, Picture],
    target: Picture,
    *,
    width: Optional[int] = 1024,
    weights: Optional[Path] = None,
    matte: Optional[Colour] = None,
) -> Dict[str, Optional[float]]:
    """How alike a program, or any picture, is to a target: MSE, PSNR, SSIM and more.

    They are compared at so many pixels across; at the target's own if `width` is None. LPIPS and
    VGG features need the networks' weights, in a folder or in `TBR_WEIGHTS`; what cannot be had
    is None.

    >>> grey = np.full((32, 32, 3), 0.5)
    >>> tbr.score(grey, grey, width=None)["mse"]
    0.0
    """
    own = subject if isinstance(subject, Program) else taken(subject)
    comparison = dict(width=width, matte=matte, weights=weights_folder(weights))
    scores: Dict[str, Optional[float]] = json.loads(_tbr.score(own, taken(target), comparison))
    return scores


def weights_folder(weights: Optional[Path]) -> Optional[Path]:
    """The folder with the networks' weights, if one is named."""
    return weights or os.environ.get("TBR_WEIGHTS") or None


def info(
    program: Program, *, width: Optional[int] = None, operator: Optional[str] = None
) -> Dict[str, Any]:
    """What a program holds: sizes, colours, paint, and which strokes are seen.

    >>> tbr.info(tbr.sample("battal"))["strokes"] > 0
    True
    """
    facts: Dict[str, Any] = json.loads(_tbr.info(program, width, operator))
    return facts


def report(
    program: Program,
    picture: Optional[Picture] = None,
    *,
    name: str = "program",
    width: int = 512,
    weights: Optional[Path] = None,
) -> str:
    """A page in HTML that explains a program, and how near it comes to a picture.

    `name` is what the page calls it; its pictures are so many pixels wide.

    >>> tbr.report(tbr.sample("battal").first(20), name="battal", width=64)[:15]
    '<!DOCTYPE html>'
    """
    target = None if picture is None else named(picture)
    return _tbr.report(program, name, target, width, weights_folder(weights))


def uncomb(
    picture: Picture, *, tools: Optional[Sequence[Union[Tool, str]]] = None, size: int = 1024
) -> Tuple[npt.NDArray[np.float64], List[Tool]]:
    """A combed sheet as it was before its combs, as floats, and what the combs were.

    With `tools`, those are undone instead of searched for. `size` is that of the longer side, in
    pixels.

    >>> combed = tbr.render(tbr.sample("nonpareil"), 128, samples=2)
    >>> comb = "comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03"
    >>> sheet, tools = tbr.uncomb(combed, tools=[comb], size=128)
    >>> sheet.shape, tools[0].kind
    ((128, 128, 3), 'comb')
    """
    return _tbr.uncomb(taken(picture), tools, size)
