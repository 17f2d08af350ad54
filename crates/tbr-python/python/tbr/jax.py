"""The relaxed picture as a function of JAX, differentiable by all numbers of a program.

It is computed outside of JAX's graph, by a callback, and works under `jit`, `grad` and `vmap`.

>>> import jax, tbr.jax
>>> program = tbr.sample("battal")
>>> fixed = dict(offsets=program.offsets, half_widths=program.half_widths, width=32)
>>> def loss(colours):
...     picture = tbr.jax.render(program.anchors, colours=colours, **fixed)
...     return abs(picture - 0.5).mean()
>>> jax.jit(jax.grad(loss))(program.colours).shape == program.colours.shape
True
"""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("tbr.jax needs JAX: pip install jax") from error

from . import _relaxed
from ._relaxed import SIDES, Settings, settings_of
from ._tbr import Program, Tool
from .errors import RequestError


def render(
    anchors: Any,
    offsets: Any,
    half_widths: Any,
    colours: Any,
    *,
    bends: Any = None,
    background: Any = (1.0, 1.0, 1.0),
    width: int,
    height: float = 1.0,
    tau: float = 0.35,
    tau_min: Optional[float] = None,
    operator: str = "capsule",
    tools: Sequence[Union[Tool, str]] = (),
    tools_after: Optional[Sequence[int]] = None,
    tool_numbers: Any = None,
    engine: str = "tiled",
    interval: Optional[int] = None,
    precision: Optional[str] = None,
) -> Any:
    """The relaxed picture, (..., rows, width, 3); `tbr.torch.render` tells what is what.

    All numbers have the dtype of `anchors`: float32 unless `jax_enable_x64` is set. float64 is
    computed in double precision and everything else in single, unless `precision` says otherwise.

    >>> import tbr.jax
    >>> tbr.jax.render([[0.5, 0.5]], [[0.2, 0]], [0.1], [[1, 0, 0]], width=32).shape
    (32, 32, 3)
    """
    given = (anchors, offsets, half_widths, bends, colours, background, tool_numbers)
    first = jnp.asarray(anchors)
    dtype = first.dtype if jnp.issubdtype(first.dtype, jnp.floating) else jnp.result_type(float)
    numbers = _broadcast(tuple(None if v is None else jnp.asarray(v, dtype) for v in given))
    settings = settings_of(
        strokes=first.shape[-2],
        single=dtype != np.float64,
        width=width,
        height=height,
        operator=operator,
        tools=tools,
        tools_after=tools_after,
        tau=tau,
        tau_min=tau_min,
        engine=engine,
        interval=interval,
        precision=precision,
    )
    return _render(settings, numbers)


def of_program(program: Program) -> Dict[str, Any]:
    """A program's numbers as arrays, and its canvas and tools, as keywords of `render`.

    >>> import tbr.jax
    >>> keywords = tbr.jax.of_program(tbr.sample("nonpareil"))
    >>> tbr.jax.render(**keywords, width=32).shape
    (32, 32, 3)
    """
    names = ("anchors", "offsets", "half_widths", "bends", "colours", "background")
    keywords: Dict[str, Any] = {name: jnp.asarray(getattr(program, name)) for name in names}
    keywords.update(height=program.height, operator=program.operator)
    if program.tools:
        numbers = np.concatenate([tool.numbers for tool in program.tools])
        keywords.update(tools=program.tools, tools_after=program.tools_after)
        keywords["tool_numbers"] = jnp.asarray(numbers)
    return keywords


def _broadcast(numbers: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """All numbers with the same leading sides."""
    batches = []
    for name, own, sides in zip(_relaxed.Numbers._fields, numbers, SIDES):
        if own is None:
            continue
        if own.ndim < sides:
            raise RequestError(f"{name} have the shape {own.shape}: {sides} sides at least")
        batches.append(own.shape[: own.ndim - sides])
    try:
        batch = np.broadcast_shapes(*batches)
    except ValueError as problem:
        raise RequestError(f"leading sides do not fit one another: {problem}") from problem
    return tuple(
        None if own is None else jnp.broadcast_to(own, (*batch, *own.shape[own.ndim - sides :]))
        for own, sides in zip(numbers, SIDES)
    )


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _render(settings: Settings, numbers: Tuple[Any, ...]) -> Any:
    anchors = numbers[0]
    shape = (*anchors.shape[:-2], settings.height_px, settings.width, 3)

    def work(numbers: Tuple[Any, ...]) -> Any:
        return _relaxed.forward(settings, _arrays(numbers)).astype(anchors.dtype, copy=False)

    result = jax.ShapeDtypeStruct(shape, anchors.dtype)
    return jax.pure_callback(work, result, numbers, vmap_method="sequential")


def _keep(settings: Settings, numbers: Tuple[Any, ...]) -> Tuple[Any, Tuple[Any, ...]]:
    return _render(settings, numbers), numbers


def _pull_back(settings: Settings, numbers: Tuple[Any, ...], d_picture: Any) -> Tuple[Any]:
    def work(numbers: Tuple[Any, ...], d_picture: Any) -> Tuple[Any, ...]:
        told = _relaxed.backward(settings, _arrays(numbers), np.asarray(d_picture))
        return tuple(None if d is None else d.astype(d_picture.dtype, copy=False) for d in told)

    result = jax.tree.map(lambda own: jax.ShapeDtypeStruct(own.shape, own.dtype), numbers)
    return (jax.pure_callback(work, result, numbers, d_picture, vmap_method="sequential"),)


_render.defvjp(_keep, _pull_back)


def _arrays(numbers: Tuple[Any, ...]) -> _relaxed.Numbers:
    """The numbers in doubles."""
    return _relaxed.Numbers._make(
        None if own is None else np.asarray(own, np.float64) for own in numbers
    )
