"""The relaxed picture of arrays, one program after the other: what torch and jax call."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _tbr
from ._tbr import Tool
from .errors import RequestError

Array = np.ndarray[Any, Any]


class Numbers(NamedTuple):
    """The numbers to differentiate, with the same leading sides."""

    anchors: Array
    offsets: Array
    half_widths: Array
    #: None: strokes are straight.
    bends: Optional[Array]
    colours: Array
    background: Array
    #: None: the tools' own.
    tool_numbers: Optional[Array]


#: The sides of the arrays of one program, in their order.
SIDES = (2, 2, 1, 1, 2, 1, 1)


class Settings(NamedTuple):
    """All that is no number to differentiate. It can be hashed, and written as a text."""

    width: int
    height_px: int
    height: float
    operator: str
    #: Tools in words, each with how many strokes are laid before it.
    tools: Tuple[Tuple[int, str], ...]
    tau: float
    tau_min: Optional[float]
    engine: str
    interval: Optional[int]
    precision: str

    def text(self) -> str:
        """All of it in a text, made so simply that compilers of Python can follow."""
        tools = [f"{after} {words}" for after, words in self.tools]
        fields = [str(self.width), str(self.height_px), str(self.height), self.operator]
        fields += [str(self.tau), str(self.tau_min), self.engine, str(self.interval)]
        return "\n".join([*fields, self.precision, *tools])

    @classmethod
    def of_text(cls, text: str) -> Settings:
        """The inverse of `text`."""
        width, height_px, height, operator, *rest = text.split("\n")
        tau, tau_min, engine, interval, precision, *tools = rest
        return cls(
            width=int(width),
            height_px=int(height_px),
            height=float(height),
            operator=operator,
            tools=tuple((int(k), words) for k, words in (tool.split(" ", 1) for tool in tools)),
            tau=float(tau),
            tau_min=None if tau_min == "None" else float(tau_min),
            engine=engine,
            interval=None if interval == "None" else int(interval),
            precision=precision,
        )


def settings_of(
    *,
    strokes: int,
    single: bool,
    width: int,
    height: float,
    operator: str,
    tools: Sequence[Union[Tool, str]],
    tools_after: Optional[Sequence[int]],
    tau: float,
    tau_min: Optional[float],
    engine: str,
    interval: Optional[int],
    precision: Optional[str],
) -> Settings:
    """The settings that keywords say; the precision is that of the numbers unless it is said."""
    if not isinstance(width, (int, np.integer)):
        raise RequestError(f"width is {width!r}: a whole number of pixels")
    if not math.isfinite(height):
        raise RequestError(f"height is {height}: it is that of the canvas, which is 1 wide")
    if isinstance(tools, (str, Tool)):
        raise RequestError(f"tools are a list: [{tools!r}]")
    after = [strokes] * len(tools) if tools_after is None else [int(k) for k in tools_after]
    if len(after) != len(tools):
        raise RequestError(f"{len(tools)} tools have {len(after)} places in tools_after")
    return Settings(
        width=int(width),
        height_px=max(1, math.floor(width * height + 0.5)),
        height=float(height),
        operator=operator,
        tools=tuple((k, str(tool)) for k, tool in zip(after, tools)),
        tau=float(tau),
        tau_min=None if tau_min is None else float(tau_min),
        engine=engine,
        interval=interval,
        precision=precision or ("single" if single else "double"),
    )


@lru_cache(maxsize=256)
def engine_of(settings: Settings) -> _tbr.Relaxed:
    """The engine with these settings."""
    own = dict(
        tau=settings.tau,
        tau_min=settings.tau_min,
        engine=settings.engine,
        interval=settings.interval,
        precision=settings.precision,
    )
    size = (settings.width, settings.height_px)
    return _tbr.Relaxed(size, settings.height, settings.operator, list(settings.tools), own)


def forward(settings: Settings, numbers: Numbers) -> Array:
    """The pictures, (..., height, width, 3), of numbers that have the same leading sides."""
    engine, batch = engine_of(settings), batch_of(numbers)
    each, sides = _each(numbers, batch), (settings.height_px, settings.width, 3)
    if len(each) == 1:
        return engine.render(each[0]).reshape(*batch, *sides)
    pictures = np.empty((len(each), *sides))
    for k, one in enumerate(each):
        pictures[k] = engine.render(one)
    return pictures.reshape(*batch, *sides)


def backward(settings: Settings, numbers: Numbers, d_pictures: Array) -> List[Optional[Array]]:
    """What derivatives with respect to the pictures, which may be singles, say about all numbers
    that there are."""
    engine, batch = engine_of(settings), batch_of(numbers)
    pictures = d_pictures.reshape(-1, settings.height_px, settings.width, 3)
    each = zip(_each(numbers, batch), pictures)
    told = [engine.pull_back(one, d_picture) for one, d_picture in each]
    derivatives: List[Optional[Array]] = []
    for k, own in enumerate(numbers):
        if own is None:
            derivatives.append(None)
        elif len(told) == 1:
            derivatives.append(told[0][k].reshape(own.shape))
        else:
            rows = [one[k] for one in told]
            derivatives.append(np.stack(rows).reshape(own.shape) if rows else np.zeros(own.shape))
    return derivatives


def batch_of(numbers: Numbers) -> Tuple[int, ...]:
    """The leading sides of the numbers, which must be the same."""
    return tuple(numbers.anchors.shape[: numbers.anchors.ndim - SIDES[0]])


def _each(numbers: Numbers, batch: Tuple[int, ...]) -> List[Numbers]:
    """The numbers of each program."""
    count = int(np.prod(batch))
    flat = [
        None if own is None else own.reshape(count, *own.shape[len(batch) :]) for own in numbers
    ]
    return [Numbers._make(None if own is None else own[k] for own in flat) for k in range(count)]
