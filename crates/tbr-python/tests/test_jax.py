"""The relaxed picture in JAX."""

from __future__ import annotations

import numpy as np
import pytest

import tbr
from conftest import wanted

jax = wanted("jax")
import tbr.jax  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

COMB = "comb through 0.5,0.5 angle 80 pull 0.05 spacing 0.2 width 0.01"


@pytest.fixture(autouse=True)
def doubles():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def numbers(rng, batch=(), n=4):
    return (
        rng.uniform(0.2, 0.8, (*batch, n, 2)),
        rng.uniform(-0.2, 0.2, (*batch, n, 2)),
        rng.uniform(0.04, 0.1, (*batch, n)),
        rng.uniform(0, 1, (*batch, n, 3)),
        rng.uniform(-0.5, 0.5, (*batch, n)),
        rng.uniform(0, 1, (*batch, 3)),
        np.broadcast_to(tbr.Tool(COMB).numbers, (*batch, 7)).copy(),
    )


def render(anchors, offsets, half_widths, colours, bends, background, comb, **keywords):
    keywords = {**dict(width=10, height=0.8, engine="stored"), **keywords}
    return tbr.jax.render(
        anchors,
        offsets,
        half_widths,
        colours,
        bends=bends,
        background=background,
        tools=[COMB],
        tools_after=[2],
        tool_numbers=comb,
        **keywords,
    )


def test_check_grads(rng):
    check_grads(render, numbers(rng), order=1, modes=["rev"], atol=1e-5, rtol=1e-5)
    check_grads(jax.jit(render), numbers(rng), order=1, modes=["rev"], atol=1e-5, rtol=1e-5)


def test_it_is_the_picture_of_torch_and_of_the_library(sheet, rng):
    target = rng.uniform(0, 1, (64, 64, 3))
    keywords = tbr.jax.of_program(sheet)
    del keywords["bends"]

    def loss(anchors):
        picture = tbr.jax.render(**{**keywords, "anchors": anchors}, width=64)
        return ((picture - target) ** 2).mean()

    value, d = jax.value_and_grad(loss)(keywords["anchors"])
    expected, gradient = tbr.gradient(sheet, target, precision="double")
    assert value == pytest.approx(expected, rel=1e-12)
    assert np.allclose(d, gradient.anchors, rtol=1e-12, atol=1e-18)


def test_batches_and_maps_are_the_same(rng):
    many = numbers(rng, batch=(3,))
    pictures = render(*many)
    assert pictures.shape == (3, 8, 10, 3) and pictures.dtype == np.float64
    assert np.array_equal(jax.vmap(render)(*many), pictures)
    assert np.array_equal(jax.jit(jax.vmap(render))(*many), pictures)

    def loss(anchors, rest):
        return (render(anchors, *rest) ** 2).sum()

    together = jax.grad(loss)(many[0], many[1:])
    assert np.allclose(jax.vmap(jax.grad(loss))(many[0], many[1:]), together, rtol=1e-12)
    one = numbers(rng)
    mapped = jax.vmap(lambda colours: render(*one[:3], colours, *one[4:]))(many[3])
    assert np.array_equal(mapped, render(*one[:3], many[3], *one[4:]))


def test_singles_stay_singles(rng):
    jax.config.update("jax_enable_x64", False)
    picture = render(*(x.astype(np.float32) for x in numbers(rng)), engine="tiled")
    assert picture.dtype == np.float32
    jax.config.update("jax_enable_x64", True)
    assert np.allclose(picture, render(*numbers(np.random.default_rng(7))), atol=5e-4)


def test_what_cannot_be_rendered_is_refused(rng):
    anchors, offsets, half_widths, colours, *_ = numbers(rng)
    with pytest.raises(tbr.RequestError, match="sides at least"):
        tbr.jax.render(anchors, offsets[0, 0], half_widths, colours, width=8)
    with pytest.raises(tbr.RequestError, match="leading sides"):
        tbr.jax.render(
            np.stack([anchors] * 2), offsets, np.stack([half_widths] * 3), colours, width=8
        )
    with pytest.raises(Exception, match="half_width is 0"):
        jax.block_until_ready(tbr.jax.render(anchors, offsets, half_widths * 0, colours, width=8))
