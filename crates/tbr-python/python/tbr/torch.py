"""The relaxed picture as a function of PyTorch, differentiable by all numbers of a program.

>>> import torch, tbr.torch
>>> program = tbr.sample("battal")
>>> anchors = torch.tensor(program.anchors, requires_grad=True)
>>> rest = [torch.tensor(x) for x in (program.offsets, program.half_widths, program.colours)]
>>> picture = tbr.torch.render(anchors, *rest, background=program.background, width=64)
>>> loss = (picture - 0.5).abs().mean()      # any loss at all
>>> loss.backward()
>>> anchors.grad.shape == anchors.shape
True
"""

# (PyTorch 2.4 reads types, and does not understand them as texts: no `annotations` from the future.)
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

try:
    import torch
    from torch import Tensor

    _custom_op = torch.library.custom_op
except (ImportError, AttributeError) as error:
    raise ImportError("tbr.torch needs PyTorch 2.4 or newer: pip install torch") from error

from . import _relaxed
from ._relaxed import SIDES, Settings, settings_of
from ._tbr import Program, Tool
from .errors import RequestError

Numbers = Union[Tensor, Sequence[Any], "np.ndarray[Any, Any]"]


def render(
    anchors: Tensor,
    offsets: Numbers,
    half_widths: Numbers,
    colours: Numbers,
    *,
    bends: Optional[Numbers] = None,
    background: Numbers = (1.0, 1.0, 1.0),
    width: int,
    height: float = 1.0,
    tau: float = 0.35,
    tau_min: Optional[float] = None,
    operator: str = "capsule",
    tools: Sequence[Union[Tool, str]] = (),
    tools_after: Optional[Sequence[int]] = None,
    tool_numbers: Optional[Numbers] = None,
    engine: str = "tiled",
    interval: Optional[int] = None,
    precision: Optional[str] = None,
) -> Tensor:
    """The relaxed picture, (..., rows, width, 3), sRGB values as a program has them.

    Of a program of n strokes: `anchors` and `offsets` (..., n, 2), `half_widths` and `bends`
    (..., n), `colours` (..., n, 3), `background` (..., 3). Leading sides are a batch, and are
    broadcast against one another. Without `bends` strokes are straight. `tools` come after all
    strokes, or after so many as `tools_after` says; `tool_numbers` (..., m) are all their
    numbers in a row, to be differentiated: those of the tools themselves if they are left out.

    `height` is that of the canvas, which is 1 wide. `tau` and `tau_min` are the width of rims:
    see `tbr.gradient`, as for `engine` and `interval`. The picture has the dtype of `anchors`;
    float64 is computed in double precision and everything else in single, unless `precision`
    says otherwise.

    >>> import torch, tbr.torch
    >>> stroke = [torch.tensor(x) for x in ([[0.5, 0.5]], [[0.2, 0.0]], [0.1], [[1.0, 0.0, 0.0]])]
    >>> tbr.torch.render(*stroke, width=32).shape
    torch.Size([32, 32, 3])
    """
    if not isinstance(anchors, Tensor):
        raise RequestError("anchors are a tensor")
    if not anchors.is_floating_point():
        raise RequestError(f"anchors are {anchors.dtype}: numbers to differentiate are floats")
    given = (anchors, offsets, half_widths, bends, colours, background, tool_numbers)
    numbers = _broadcast([None if v is None else torch.as_tensor(v).to(anchors) for v in given])
    settings = settings_of(
        strokes=anchors.shape[-2],
        single=anchors.dtype != torch.float64,
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
    picture: Tensor = _render(*numbers, settings.text())
    return picture


def of_program(program: Program, dtype: torch.dtype = torch.float64) -> Dict[str, Any]:
    """A program's numbers as tensors, and its canvas and tools, as keywords of `render`.

    >>> import torch, tbr.torch
    >>> keywords = tbr.torch.of_program(tbr.sample("nonpareil"))
    >>> tbr.torch.render(**keywords, width=32).shape
    torch.Size([32, 32, 3])
    """
    names = ("anchors", "offsets", "half_widths", "bends", "colours", "background")
    keywords: Dict[str, Any] = {
        name: torch.as_tensor(getattr(program, name), dtype=dtype) for name in names
    }
    keywords.update(height=program.height, operator=program.operator)
    if program.tools:
        numbers = np.concatenate([tool.numbers for tool in program.tools])
        keywords.update(tools=program.tools, tools_after=program.tools_after)
        keywords["tool_numbers"] = torch.as_tensor(numbers, dtype=dtype)
    return keywords


def _broadcast(numbers: List[Optional[Tensor]]) -> List[Optional[Tensor]]:
    """All numbers with the same leading sides."""
    batches = []
    for name, own, sides in zip(_relaxed.Numbers._fields, numbers, SIDES):
        if own is None:
            continue
        if own.ndim < sides:
            raise RequestError(f"{name} have the shape {tuple(own.shape)}: {sides} sides at least")
        batches.append(own.shape[: own.ndim - sides])
    try:
        batch = torch.broadcast_shapes(*batches)
    except RuntimeError as problem:
        raise RequestError(f"leading sides do not fit one another: {problem}") from problem
    return [
        None if own is None else own.expand(*batch, *own.shape[own.ndim - sides :])
        for own, sides in zip(numbers, SIDES)
    ]


def _array(own: Tensor, dtype: torch.dtype = torch.float64) -> np.ndarray[Any, Any]:
    """Numbers in doubles, or what is said, in memory that NumPy knows."""
    return own.detach().to("cpu", dtype).numpy()


def _arrays(numbers: Sequence[Optional[Tensor]]) -> _relaxed.Numbers:
    return _relaxed.Numbers._make(None if own is None else _array(own) for own in numbers)


def _like(array: np.ndarray[Any, Any], own: Tensor) -> Tensor:
    return torch.from_numpy(array).to(own)


@_custom_op("tbr::render", mutates_args=())
def _render(
    anchors: Tensor,
    offsets: Tensor,
    half_widths: Tensor,
    bends: Optional[Tensor],
    colours: Tensor,
    background: Tensor,
    tool_numbers: Optional[Tensor],
    settings: str,
) -> Tensor:
    numbers = (anchors, offsets, half_widths, bends, colours, background, tool_numbers)
    return _like(_relaxed.forward(Settings.of_text(settings), _arrays(numbers)), anchors)


@_render.register_fake
def _(
    anchors: Tensor,
    offsets: Tensor,
    half_widths: Tensor,
    bends: Optional[Tensor],
    colours: Tensor,
    background: Tensor,
    tool_numbers: Optional[Tensor],
    settings: str,
) -> Tensor:
    own = Settings.of_text(settings)
    return anchors.new_empty(*anchors.shape[:-2], own.height_px, own.width, 3)


@_custom_op("tbr::render_backward", mutates_args=())
def _render_backward(
    anchors: Tensor,
    offsets: Tensor,
    half_widths: Tensor,
    bends: Optional[Tensor],
    colours: Tensor,
    background: Tensor,
    tool_numbers: Optional[Tensor],
    d_picture: Tensor,
    settings: str,
) -> List[Tensor]:
    numbers = (anchors, offsets, half_widths, bends, colours, background, tool_numbers)
    dtype = torch.float64 if d_picture.dtype == torch.float64 else torch.float32
    d_pictures = _array(d_picture, dtype)
    derivatives = _relaxed.backward(Settings.of_text(settings), _arrays(numbers), d_pictures)
    return [_like(d, anchors) for d in derivatives if d is not None]


@_render_backward.register_fake
def _(
    anchors: Tensor,
    offsets: Tensor,
    half_widths: Tensor,
    bends: Optional[Tensor],
    colours: Tensor,
    background: Tensor,
    tool_numbers: Optional[Tensor],
    d_picture: Tensor,
    settings: str,
) -> List[Tensor]:
    numbers = (anchors, offsets, half_widths, bends, colours, background, tool_numbers)
    return [own.new_empty(own.shape) for own in numbers if own is not None]


def _keep(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    *numbers, ctx.settings = inputs
    ctx.given = [own is not None for own in numbers]
    ctx.save_for_backward(*(own for own in numbers if own is not None))


def _pull_back(ctx: Any, d_picture: Tensor) -> Tuple[Optional[Tensor], ...]:
    kept = iter(ctx.saved_tensors)
    numbers = [next(kept) if given else None for given in ctx.given]
    told = iter(_render_backward(*numbers, d_picture.contiguous(), ctx.settings))
    return (*(next(told) if given else None for given in ctx.given), None)


_render.register_autograd(_pull_back, setup_context=_keep)
