"""The relaxed picture in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import tbr
from conftest import wanted

torch = wanted("torch")
import tbr.torch  # noqa: E402

COMB = "comb through 0.5,0.5 angle 80 pull 0.05 spacing 0.2 width 0.01"
SMALL = dict(width=10, height=0.8, engine="stored", tools=[COMB], tools_after=[2])


def numbers(rng, dtype=torch.float64, batch=(), n=4):
    """Anchors, offsets, half-widths, colours, bends, background and the comb's numbers."""
    comb = np.broadcast_to(tbr.Tool(COMB).numbers, (*batch, 7)).copy()
    arrays = [
        rng.uniform(0.2, 0.8, (*batch, n, 2)),
        rng.uniform(-0.2, 0.2, (*batch, n, 2)),
        rng.uniform(0.04, 0.1, (*batch, n)),
        rng.uniform(0, 1, (*batch, n, 3)),
        rng.uniform(-0.5, 0.5, (*batch, n)),
        rng.uniform(0, 1, (*batch, 3)),
        comb,
    ]
    return [torch.tensor(array, dtype=dtype, requires_grad=True) for array in arrays]


def render(anchors, offsets, half_widths, colours, bends, background, comb, **keywords):
    return tbr.torch.render(
        anchors,
        offsets,
        half_widths,
        colours,
        bends=bends,
        background=background,
        tool_numbers=comb,
        **{**SMALL, **keywords},
    )


def test_gradcheck(rng):
    assert torch.autograd.gradcheck(render, numbers(rng), atol=1e-6)
    assert torch.autograd.gradcheck(render, numbers(rng, batch=(2, 1)), atol=1e-6, fast_mode=True)


def test_opcheck(rng):
    anchors, offsets, half_widths, colours, bends, background, comb = numbers(rng)
    own = tbr.torch.settings_of(
        strokes=4,
        single=False,
        operator="capsule",
        tau=0.35,
        tau_min=None,
        interval=None,
        precision=None,
        **SMALL,
    )
    full = (anchors, offsets, half_widths, bends, colours, background, comb, own.text())
    bare = own._replace(tools=()).text()
    for values in (full, (anchors, offsets, half_widths, None, colours, background, None, bare)):
        told = torch.library.opcheck(tbr.torch._render, values)
        assert set(told.values()) == {"SUCCESS"}, told


@pytest.mark.parametrize("engine", ["tiled", "stored", "checkpointed", "replay"])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_mean_squared_error_has_the_very_gradient_of_the_library(sheet, rng, engine, precision):
    target = rng.uniform(0, 1, (96, 96, 3))
    keywords = tbr.torch.of_program(sheet)
    del keywords["bends"]
    own = [value.requires_grad_() for value in keywords.values() if torch.is_tensor(value)]
    picture = tbr.torch.render(**keywords, width=96, engine=engine, precision=precision)
    d = torch.autograd.grad(((picture - torch.tensor(target)) ** 2).mean(), own)
    _, expected = tbr.gradient(sheet, target, engine=engine, precision=precision)
    expected = expected._asdict()
    del expected["bends"]
    for mine, theirs in zip(d, expected.values()):
        assert np.array_equal(mine.numpy(), theirs)


def test_bends_have_the_very_gradient_of_the_library(rng):
    anchors, offsets, half_widths, colours, bends, background, _ = numbers(rng)
    bent = tbr.Program(
        *(x.detach() for x in (anchors, offsets, half_widths, colours)),
        bends=bends.detach(),
        background=background.detach(),
    )
    target = rng.uniform(0, 1, (64, 64, 3))
    keywords = tbr.torch.of_program(bent)
    bends = keywords["bends"].requires_grad_()
    picture = tbr.torch.render(**keywords, width=64)
    (d,) = torch.autograd.grad(((picture - torch.tensor(target)) ** 2).mean(), bends)
    _, expected = tbr.gradient(bent, target, precision="double")
    assert np.array_equal(d.numpy(), expected.bends) and np.all(expected.bends != 0)


def test_arrays_are_handed_over(rng):
    from tbr.torch import _array, _like

    own = torch.zeros(5, 2, dtype=torch.float64, requires_grad=True)
    assert _array(own).ctypes.data == own.data_ptr()
    single = torch.zeros(4, 4, 3)
    assert _array(single, torch.float32).ctypes.data == single.data_ptr()
    picture = np.zeros((4, 4, 3))
    assert _like(picture, own).data_ptr() == picture.ctypes.data


def test_singles_and_tiles_are_within_the_bars_of_the_library(rng):
    exact = numbers(rng, n=60)
    loss = render(*exact, width=64).square().mean()
    wanted_d = torch.cat([d.flatten() for d in torch.autograd.grad(loss, exact)])
    single = [x.detach().to(torch.float32).requires_grad_() for x in exact]
    picture = render(*single, width=64, engine="tiled")
    assert picture.dtype == torch.float32
    d = torch.cat([d.flatten() for d in torch.autograd.grad(picture.square().mean(), single)])
    assert abs(picture.square().mean() - loss) < 5e-4
    assert (d - wanted_d).norm() / wanted_d.norm() < 5e-3


def test_leading_sides_are_a_batch(rng):
    many = numbers(rng, batch=(3, 2))
    pictures = render(*many)
    assert pictures.shape == (3, 2, 8, 10, 3)
    for k in np.ndindex(3, 2):
        assert torch.equal(pictures[k], render(*(x[k] for x in many)))
    one = numbers(rng)
    shared = render(*one[:3], many[3], *one[4:])
    assert shared.shape == (3, 2, 8, 10, 3)
    shared.sum().backward()
    assert one[0].grad.shape == (4, 2) and many[3].grad.shape == (3, 2, 4, 3)
    none = render(*numbers(rng, batch=(0,)))
    assert none.shape == (0, 8, 10, 3)
    with pytest.raises(tbr.RequestError, match="leading sides"):
        render(*many[:3], numbers(rng, batch=(5,))[3], *many[4:])


def test_several_pictures_in_one_graph(rng):
    own = numbers(rng)
    both = render(*own).sum() + 2 * render(*own, width=20).mean()
    apart = [
        torch.autograd.grad(render(*own).sum(), own),
        torch.autograd.grad(2 * render(*own, width=20).mean(), own),
    ]
    for d, a, b in zip(torch.autograd.grad(both, own), *apart):
        assert torch.allclose(d, a + b, rtol=1e-12)


def test_only_what_is_asked_for_has_derivatives(rng):
    own = numbers(rng)
    half_widths = own[2]
    loss = tbr.torch.render(
        own[0].detach(), own[1].detach(), half_widths, own[3].detach(), width=12
    ).sum()
    loss.backward()
    assert half_widths.grad.abs().sum() > 0 and own[0].grad is None
    with pytest.raises(RuntimeError):
        d = torch.autograd.grad(render(*own).sum(), own[0], create_graph=True)[0]
        d.sum().backward()


def test_compiled_functions_hold_it(rng):
    @torch.compile(backend="aot_eager", fullgraph=True)
    def loss(*own):
        return (render(*own) - 0.3).square().sum()

    own = numbers(rng)
    expected = torch.autograd.grad((render(*own) - 0.3).square().sum(), own)
    for mine, theirs in zip(torch.autograd.grad(loss(*own), own), expected):
        assert torch.allclose(mine, theirs, rtol=1e-12)


def test_a_descent_recovers_a_colour(rng):
    with torch.no_grad():
        own = numbers(rng)
        target = render(*own)
    colours = torch.full((4, 3), 0.5, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([colours], lr=0.05)
    for _ in range(150):
        adam.zero_grad()
        (render(*own[:3], colours, *own[4:]) - target).square().mean().backward()
        adam.step()
    assert (colours - own[3]).abs().max() < 0.05


def test_tensors_are_pictures_and_numbers_too(sheet, rng):
    target = torch.tensor(rng.uniform(0, 1, (32, 32, 3)), requires_grad=True)
    assert tbr.gradient(sheet, target)[0] == tbr.gradient(sheet, target.detach().numpy())[0]
    anchors = torch.tensor(sheet.anchors, requires_grad=True)
    assert sheet.replace(anchors=anchors.detach()) == sheet
    with pytest.raises(tbr.RequestError, match="anchors: .*detach"):
        sheet.replace(anchors=anchors)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_all_floats_have_derivatives(rng, dtype):
    own = [x.detach().to(dtype).requires_grad_() for x in numbers(rng)]
    picture = render(*own, engine="tiled")
    assert picture.dtype == dtype
    d = torch.autograd.grad(picture.sum(), own)
    exact = [x.detach().double().requires_grad_() for x in own]
    expected = torch.autograd.grad(render(*exact).sum(), exact)
    for mine, theirs in zip(d, expected):
        assert mine.dtype == dtype
        assert torch.allclose(mine.double(), theirs, rtol=0, atol=0.02 * theirs.abs().max().item())


@pytest.mark.parametrize(
    "change, words",
    [
        (dict(anchors=torch.zeros(4, 3)), "anchors have the shape"),
        (dict(anchors=torch.zeros(2)), "sides at least|shape"),
        (dict(anchors=torch.zeros(4, 2, dtype=torch.int64)), "floats"),
        (dict(anchors=np.zeros((4, 2))), "tensor"),
        (dict(anchors=torch.full((4, 2), torch.nan)), "anchor has the value NaN"),
        (dict(half_widths=torch.zeros(4)), "half_width is 0"),
        (dict(half_widths=torch.ones(5)), "half_widths have the shape"),
        (dict(colours=torch.full((4, 3), torch.inf)), "colour is not finite"),
        (dict(background=[0, 0, torch.nan]), "background"),
        (dict(width=0), "pixel"),
        (dict(width=16.5), "whole number"),
        (dict(height=np.nan), "height is nan"),
        (dict(tools=COMB), "tools are a list"),
        (dict(tools=tbr.Tool(COMB)), "tools are a list"),
        (dict(engine="fast"), "none of"),
        (dict(tools=["broom"]), "broom"),
        (dict(tools=[COMB], tool_numbers=torch.zeros(3)), "tool_numbers have the shape"),
        (dict(tools=[COMB], tools_after=[9]), "tools come in order"),
    ],
)
def test_what_cannot_be_rendered_is_refused_in_words(rng, change, words):
    anchors, offsets, half_widths, colours, *_ = (x.detach() for x in numbers(rng))
    given = dict(
        anchors=anchors, offsets=offsets, half_widths=half_widths, colours=colours, width=8
    )
    with pytest.raises(tbr.Error, match=words):
        tbr.torch.render(**{**given, **change})


def test_a_derivative_that_is_no_number_is_refused(rng):
    own = numbers(rng)
    with pytest.raises(tbr.RequestError, match="pixel 0 is not finite"):
        (render(*own) * torch.nan).sum().backward()
