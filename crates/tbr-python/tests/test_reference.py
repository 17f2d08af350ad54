"""The readable twin and the engine: two renderers that share nothing but the page they are from."""

from __future__ import annotations

import numpy as np
import pytest

import tbr
from tbr import reference

#: Share of the pixels that lie on an edge so closely that the last digit decides.
ON_EDGES = 2e-3

TOOLS = [
    "tine through 0.5,0.4 angle 30 pull 0.1 reach 0.05 width 0.01",
    "comb through 0.5,0.5 angle 80 pull 0.05 spacing 0.1 width 0.01",
    "rake through 0.4,0.5 angle 10 pull 0.08 spacing 0.2",
    "wave through 0.1,0.5 angle 45 pull 0.03 wavelength 0.3",
    "wavy-comb through 0.5,0.5 angle 90 pull 0.04 spacing 0.1 sway 0.02 wavelength 0.3 phase 40",
    "ring centre 0.4,0.4 radius 0.2 pull 0.1 reach 0.05 width 0.02",
    "swirl centre 0.6,0.4 radius 0.3 turn 90",
    "stylus from 0.2,0.3 to 0.7,0.5 reach 0.1",
]


def program(seed, operator="capsule", tools=()):
    """Straight and bent strokes, drops, and tools among them."""
    rng = np.random.default_rng(seed)
    n = 24
    offsets = rng.uniform(-0.3, 0.3, (n, 2))
    offsets[::4] = 0
    return tbr.Program(
        rng.uniform(0, 0.8, (n, 2)),
        offsets,
        rng.uniform(0.02, 0.1, n),
        rng.uniform(0, 1, (n, 3)),
        bends=np.where(np.arange(n) % 3 == 0, rng.uniform(-2, 2, n), 0),
        height=0.7,
        background=[0.9, 0.9, 0.8],
        operator=operator,
        tools=list(tools),
        tools_after=[n // 2] * len(tools),
    )


@pytest.mark.parametrize("operator", ["capsule", "inert"])
@pytest.mark.parametrize("tools", [[], *([tool] for tool in TOOLS), TOOLS])
def test_hard_and_relaxed_renders_agree(operator, tools):
    own = program(len(tools) + (len(tools[0]) if tools else 0), operator, tools)
    twin, engine = reference.owners(own, 150), tbr.owners(own, 150)
    assert (twin != engine).mean() < ON_EDGES
    assert (reference.render(own, 150) != tbr.render(own, 150)).mean() < ON_EDGES
    soft = reference.relaxed(own, 80, tau=0.3)
    assert np.abs(soft - relaxed(own, 80, tau=0.3, engine="stored")).max() < 1e-9


def relaxed(own, width, **settings):
    """The engine's relaxed picture: what the loss against a picture of 0 says of each pixel."""
    from tbr._relaxed import Numbers, engine_of, settings_of

    given = dict(tau_min=None, interval=None, precision="double", operator=own.operator)
    engine = engine_of(
        settings_of(
            strokes=len(own.half_widths),
            single=False,
            width=width,
            height=own.height,
            tools=own.tools,
            tools_after=own.tools_after,
            **given,
            **settings,
        )
    )
    return engine.render(
        Numbers(
            own.anchors, own.offsets, own.half_widths, own.bends, own.colours, own.background, None
        )
    )


def test_rims_as_soft_as_the_gradient_has_them():
    own = program(5)
    target = np.random.default_rng(1).uniform(0, 1, (56, 80, 3))
    loss, _ = tbr.gradient(own, target, engine="stored", precision="double")
    assert ((reference.relaxed(own, 80) - target) ** 2).mean() == pytest.approx(loss, rel=1e-9)


def test_shipped_programs_agree(garden):
    assert (reference.render(garden, 120) != tbr.render(garden, 120)).any(axis=2).mean() < ON_EDGES


def test_what_the_twin_does_not_know_is_refused():
    with pytest.raises(tbr.RequestError, match="capsule and inert"):
        reference.render(program(1, "drops"))
