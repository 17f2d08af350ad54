"""A slow, readable twin of the renderer, in pure NumPy: to read, and to test against.

It is the Python of `docs/format.md` for many points at once, in double precision, with the
relaxed render of `docs/math.md` beside it (the numbers in brackets are its equations). It knows
the operators `capsule` and `inert`.

>>> from tbr import reference
>>> sheet = tbr.sample("battal").first(40)
>>> bool((reference.render(sheet, 64) == tbr.render(sheet, 64)).all())
True
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._tbr import Program, Tool
from .errors import RequestError

Floats = npt.NDArray[np.float64]
#: Points: their x and their y.
Points = Tuple[Floats, Floats]
#: How far paint is drawn, or turned, at a distance.
Profile = Callable[[Floats], Floats]

#: Of a half-width: what is left of the radius of a point in the deposit's middle, (6).
FLOOR = 1e-3


class Stroke(NamedTuple):
    """A stroke's numbers."""

    anchor: Floats
    offset: Floats
    half_width: float
    bend: float
    colour: Floats


def render(program: Program, width: int = 1024) -> npt.NDArray[np.uint8]:
    """The hard render, as `tbr.render` with one sample."""
    colours = np.vstack([program.background, program.colours])
    return np.floor(255 * colours[owners(program, width)] + 0.5).astype(np.uint8)


def owners(program: Program, width: int = 1024) -> npt.NDArray[np.int64]:
    """The number of the stroke that owns each pixel, counted from 1; 0 is the bare canvas."""
    _check(program)
    x, y = pixels(program, width)
    owner = np.zeros(x.shape, np.int64)
    number = len(program.half_widths)
    for step in reversed(steps(program)):
        if isinstance(step, Tool):
            x, y = before_tool(step, x, y)
            continue
        sigma = distance(step, x, y)
        owner[(owner == 0) & (sigma <= step.half_width)] = number
        number -= 1
        if program.operator == "capsule":
            x, y = before_stroke(step, x, y)
    return owner


def relaxed(
    program: Program, width: int = 1024, tau: float = 0.35, tau_min: Optional[float] = None
) -> Floats:
    """The relaxed render, (rows, width, 3): rims fade, so that it has derivatives, (18)."""
    _check(program)
    x, y = pixels(program, width)
    tau_min = 0.7 / width if tau_min is None else tau_min
    gathered = np.zeros((*x.shape, 3))
    transmittance = np.ones(x.shape)
    for step in reversed(steps(program)):
        if isinstance(step, Tool):
            x, y = before_tool(step, x, y)
            continue
        weight = transmittance * coverage(step, x, y, tau, tau_min)
        gathered += weight[..., None] * step.colour
        transmittance -= weight
        if program.operator == "capsule":
            x, y = before_stroke(step, x, y)
    return gathered + transmittance[..., None] * program.background


def pixels(program: Program, width: int) -> Points:
    """The centres of pixels, in canvas units."""
    rows = max(1, int(np.floor(width * program.height + 0.5)))
    x = (np.arange(width) + 0.5) / width
    y = (np.arange(rows) + 0.5) / rows * program.height
    across, down = np.meshgrid(x, y)
    return across, down


def steps(program: Program) -> List[Union[Stroke, Tool]]:
    """Strokes and tools, in their order."""
    return [
        step
        if isinstance(step, Tool)
        else Stroke(
            step["anchor"], step["offset"], step["half_width"], step["bend"], step["colour"]
        )
        for step in program.steps
    ]


def _check(program: Program) -> None:
    if program.operator not in ("capsule", "inert"):
        raise RequestError(f"the twin knows capsule and inert, not {program.operator}")


# Strokes.


class Chart(NamedTuple):
    """Points in a stroke's frame: along it and across, straightened, (1) and (B1)."""

    u: Floats
    v: Floats
    length: float
    #: From the frame to the canvas.
    back: Callable[[Floats, Floats], Points]


def chart(stroke: Stroke, x: Floats, y: Floats) -> Chart:
    (dx, dy), r = stroke.offset, stroke.half_width
    length = float(np.hypot(dx, dy))
    ex, ey = (dx / length, dy / length) if length > 0 else (1.0, 0.0)
    mx, my = stroke.anchor + stroke.offset / 2
    reach = length / 2 + r
    kappa = stroke.bend * length / (length + r)

    def rise(u: Floats) -> Floats:
        return kappa * reach * u * u / (reach * reach + u * u)

    def back(u: Floats, v: Floats) -> Points:
        v = v + rise(u)
        return mx + u * ex - v * ey, my + u * ey + v * ex

    u = (x - mx) * ex + (y - my) * ey
    v = (y - my) * ex - (x - mx) * ey - rise(u)
    return Chart(u, v, length, back)


def distance(stroke: Stroke, x: Floats, y: Floats) -> Floats:
    """Distance from the straightened segment: the deposit's points are within the half-width."""
    u, v, length, _ = chart(stroke, x, y)
    return np.hypot(np.maximum(np.abs(u) - length / 2, 0.0), v)


def coverage(stroke: Stroke, x: Floats, y: Floats, tau: float, tau_min: float) -> Floats:
    """How much of a point a stroke covers if its rim is soft, (12)."""
    rim = max(tau * stroke.half_width, tau_min)
    z = (stroke.half_width - distance(stroke, x, y)) / rim
    # The sigmoid, by way of what does not overflow.
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, small) / (1.0 + small)


def before_stroke(stroke: Stroke, x: Floats, y: Floats) -> Points:
    """Where the paint at points was before a stroke pushed it outwards, (2) to (8).

    The curve around the segment that a point lies on shrinks to the one that encloses less area
    by the deposit's; the point keeps its share of the curve's length.
    """
    u, v, length, back = chart(stroke, x, y)
    r, half = stroke.half_width, length / 2
    past, base = np.maximum(np.abs(u) - half, 0.0), np.minimum(np.abs(u), half)
    sigma = np.hypot(past, v)
    around = length + np.pi * sigma
    with np.errstate(invalid="ignore", divide="ignore"):
        # (A point in the middle of a drop has no direction, and is not asked for one.)
        share = np.where(around > 0, (base + sigma * np.arctan2(past, np.abs(v))) / around, 0.0)
    area = np.maximum((sigma - r) * (2 * length + np.pi * (sigma + r)), (FLOOR * r) ** 2)
    root = np.sqrt(length * length + np.pi * area)
    inner, way = area / (length + root), share * root
    straight = np.minimum(way, half)
    turn = (way - straight) / inner
    new_u = np.copysign(straight + inner * np.sin(turn), u)
    return back(new_u, np.copysign(inner * np.cos(turn), v))


# Tools.


def before_tool(tool: Tool, x: Floats, y: Floats) -> Points:
    """Where the paint at points was before a tool."""
    n: Dict[str, Any] = {name: tool[name] for name in tool.fields}
    kind = tool.kind
    if kind == "stylus":
        return _before_stylus(n, x, y)
    if kind in ("ring", "swirl"):
        return turned(n["centre"], _ring(n) if kind == "ring" else _swirl(n), x, y)
    if kind == "tine":
        return drawn(n["through"], n["angle"], n["pull"], _tooth(n["reach"], n["width"]), x, y)
    if kind == "wave":
        return drawn(n["through"], n["angle"], n["pull"], _wave(n["wavelength"]), x, y)
    if kind in ("comb", "rake"):
        return drawn(n["through"], n["angle"], n["pull"], _teeth(n, kind == "comb"), x, y)
    return _before_wavy_comb(n, x, y)


def drawn(
    origin: Tuple[float, float], degrees: float, pull: float, profile: Profile, x: Floats, y: Floats
) -> Points:
    """Before paint was drawn along a direction, (T1)."""
    ex, ey = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    shift = pull * profile((y - origin[1]) * ex - (x - origin[0]) * ey)
    return x - shift * ex, y - shift * ey


def turned(centre: Tuple[float, float], angle: Profile, x: Floats, y: Floats) -> Points:
    """Before paint was turned by an angle that depends on the squared distance, (T6)."""
    fx, fy = x - centre[0], y - centre[1]
    a = -angle(fx * fx + fy * fy)
    c, s = np.cos(a), np.sin(a)
    return centre[0] + c * fx - s * fy, centre[1] + c * fy + s * fx


def _tooth(reach: float, width: float) -> Profile:
    """One tooth, (T2)."""

    def profile(d: Floats) -> Floats:
        pull: Floats = np.exp((width - np.hypot(d, width)) / reach)
        return pull

    return profile


def _wave(wavelength: float) -> Profile:
    """To and fro, (T5)."""

    def profile(d: Floats) -> Floats:
        pull: Floats = np.sin(2 * np.pi * d / wavelength)
        return pull

    return profile


def _teeth(n: Dict[str, Any], together: bool) -> Profile:
    """Teeth at every multiple of the spacing, drawn together, (T3), or to and fro, (T4)."""
    reach, width, spacing = n["reach"], n["width"], n["spacing"]
    beta = np.pi * width / spacing

    def profile(d: Floats) -> Floats:
        k = np.round(d / spacing)
        theta = np.pi * (d / spacing - k)
        phi = np.arctan2(np.cos(theta), np.hypot(np.sin(theta), beta))
        x = spacing / 2 * phi / np.arctan2(1.0, beta)
        near, far = np.exp((x - spacing / 2) / reach), np.exp((-x - spacing / 2) / reach)
        once = np.exp(-spacing / reach)
        all_one_way: Floats = (near + far) / (1 - once) - 2 * reach / spacing
        to_and_fro: Floats = np.where(k % 2 == 0, 1.0, -1.0) * (near - far) / (1 + once)
        return all_one_way if together else to_and_fro

    return profile


def _ring(n: Dict[str, Any]) -> Profile:
    """One tooth, led around a circle, (T7)."""
    tooth = _tooth(n["reach"], n["width"])

    def angle(q: Floats) -> Floats:
        r = np.sqrt(q)
        way = np.hypot(r, n["width"])
        # (Without a width, the centre itself stays where it is.)
        turn: Floats = n["pull"] * tooth(r - n["radius"]) / np.where(way > 0, way, np.inf)
        return turn

    return angle


def _swirl(n: Dict[str, Any]) -> Profile:
    """A turn that ends at a radius, (T8)."""

    def angle(q: Floats) -> Floats:
        turn: Floats = np.radians(n["turn"]) * np.maximum(0.0, 1 - q / n["radius"] ** 2) ** 2
        return turn

    return angle


def _before_wavy_comb(n: Dict[str, Any], x: Floats, y: Floats) -> Points:
    """The sway is a wave across the comb's way: undone, then the comb, then done again, (T9)."""
    turn, back = np.radians(n["angle"]), n["wavelength"] * n["phase"] / 360
    px, py = n["through"]
    origin = (px - back * np.cos(turn), py - back * np.sin(turn))
    sway = _wave(n["wavelength"])
    x, y = drawn(origin, n["angle"] - 90, -n["sway"], sway, x, y)
    x, y = drawn(n["through"], n["angle"], n["pull"], _teeth(n, True), x, y)
    return drawn(origin, n["angle"] - 90, n["sway"], sway, x, y)


def _before_stylus(n: Dict[str, Any], x: Floats, y: Floats) -> Points:
    """A needle's way: pairs of swirls, side by side, that turn against one another, (T12)."""
    (ax, ay), (bx, by), reach = n["from"], n["to"], n["reach"]
    length = float(np.hypot(bx - ax, by - ay))
    if length == 0:
        return x, y
    pairs = max(1, int(np.ceil(length / (0.08 * reach))))
    side, radius = 0.15 * reach, 0.85 * reach
    left = 1 - (0.15 / 0.85) ** 2
    turn = np.degrees(n["grip"] * length / (2 * pairs * side * left**2))
    nx, ny = (ay - by) / length * side, (bx - ax) / length * side
    for k in reversed(range(pairs)):
        along = (k + 0.5) / pairs
        tx, ty = ax + (bx - ax) * along, ay + (by - ay) * along
        for sign in (-1, 1) if k % 2 == 0 else (1, -1):
            swirl = _swirl(dict(turn=sign * turn, radius=radius))
            x, y = turned((tx + sign * nx, ty + sign * ny), swirl, x, y)
    return x, y
