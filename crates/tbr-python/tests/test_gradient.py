"""The gradient: the command's, against differences, and on every engine."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tbr

#: The bars of the library's own tests for programs of fewer than 200 strokes: what float32 and
#: interpolation may change of a gradient, and of a picture.
GRADIENT_BAR, TOOLS_BAR = 5e-5, 5e-3

ENGINES = [("stored", None), ("checkpointed", 3), ("replay", None), ("replay", 5), ("tiled", None)]


def flat(d: tbr.Gradient) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in d])


def off(d: tbr.Gradient, exact: tbr.Gradient) -> float:
    """|d - exact| / |exact|."""
    return np.linalg.norm(flat(d) - flat(exact)) / np.linalg.norm(flat(exact))


@pytest.fixture(scope="module")
def few(sheet) -> tbr.Program:
    """Fewer strokes, in a canvas that is not square, some bent."""
    rng = np.random.default_rng(3)
    n = 60
    return tbr.Program(
        rng.uniform(0, 0.8, (n, 2)),
        rng.uniform(-0.2, 0.2, (n, 2)),
        rng.uniform(0.01, 0.06, n),
        rng.uniform(0, 1, (n, 3)),
        bends=rng.uniform(-1, 1, n),
        height=0.75,
        background=[0.9, 0.8, 0.7],
    )


@pytest.fixture(scope="module")
def target() -> np.ndarray:
    return np.random.default_rng(4).uniform(0, 1, (48, 64, 3))


def test_all_engines_agree(few, target):
    loss, exact = tbr.gradient(few, target, engine="stored", precision="double")
    for engine, interval in ENGINES:
        for precision in ("double", "single"):
            own, d = tbr.gradient(
                few, target, engine=engine, interval=interval, precision=precision
            )
            assert abs(own - loss) < 1e-5 and off(d, exact) < GRADIENT_BAR, (engine, precision)


def test_tools_have_derivatives_on_all_engines(few, target):
    comb = "comb through 0.5,0.4 angle 80 pull 0.05 spacing 0.2 width 0.01"
    combed = few.replace(
        tools=[comb, "swirl centre 0.4,0.4 radius 0.3 turn 40"], tools_after=[30, 60]
    )
    _, exact = tbr.gradient(combed, target, engine="stored", precision="double")
    assert exact.tools.shape == (7 + 4,) and np.all(exact.tools[:7] != 0)
    for engine, interval in ENGINES:
        _, d = tbr.gradient(combed, target, engine=engine, interval=interval)
        assert off(d, exact) < TOOLS_BAR, engine


def test_derivatives_are_slopes(few, target):
    def loss(**parts):
        own = few.replace(**parts)
        return tbr.gradient(own, target, engine="stored", precision="double")[0]

    _, d = tbr.gradient(few, target, engine="stored", precision="double")
    h = 1e-6
    for name in ("anchors", "offsets", "half_widths", "bends", "colours", "background"):
        own, slope = getattr(few, name), getattr(d, name)
        at = np.unravel_index(np.argmax(np.abs(slope)), slope.shape)
        up, down = own.copy(), own.copy()
        up[at] += h
        down[at] -= h
        measured = (loss(**{name: up}) - loss(**{name: down})) / (2 * h)
        assert measured == pytest.approx(slope[at], rel=1e-4), name


def test_the_gradient_is_that_of_the_command(garden, run, tmp_path):
    image = pytest.importorskip("PIL.Image")
    garden.save(tmp_path / "p.tbr.json")
    picture = tbr.render(garden.first(40), 90)
    image.fromarray(picture).save(tmp_path / "a.png")
    for options, keywords in [
        ([], {}),
        (["--precision", "f64", "--engine", "replay"], dict(precision="double", engine="replay")),
        (["--width", 60, "--bends", "--tau", 0.2], dict(width=60, bends=True, tau=0.2)),
    ]:
        told = json.loads(run("gradient", "p.tbr.json", "a.png", *options, "--json"))
        for target in (picture, tmp_path / "a.png"):
            loss, d = tbr.gradient(garden, target, **keywords)
            assert loss == told["loss"]
            theirs = told["gradient"]
            assert np.array_equal(d.anchors, theirs["anchor"])
            assert np.array_equal(d.offsets, theirs["offset"])
            assert np.array_equal(d.half_widths, theirs["half_width"])
            assert np.array_equal(d.colours, theirs["colour"])
            assert np.array_equal(d.background, theirs["background"])
            assert np.array_equal(d.bends, theirs.get("bend", np.zeros(len(d.bends))))


def test_floats_keep_all_their_digits(few, target):
    loss, _ = tbr.gradient(few, target)
    assert loss != tbr.gradient(few, target + 1e-9)[0]
    assert tbr.gradient(few, target, width=32)[0] != loss


@pytest.mark.parametrize(
    "keywords, words",
    [
        (dict(engine="fast"), "none of"),
        (dict(engine="tiled", interval=3), "no interval"),
        (dict(engine="checkpointed", interval=0), "not 0"),
        (dict(precision="half"), "neither"),
        (dict(tau=-1), "rim"),
        (dict(tau=0, tau_min=0), "rim"),
        (dict(tau=np.nan), "rim"),
        (dict(target=np.zeros((9, 64, 3))), "times as high"),
        (dict(target=np.full((48, 64, 3), np.nan)), "not finite"),
    ],
)
def test_gradients_that_cannot_be_are_refused(few, target, keywords, words):
    with pytest.raises(tbr.RequestError, match=words):
        tbr.gradient(few, **{"target": target, **keywords})
    assert tbr.gradient(few.replace(operator="drops"), target)[0] > 0
    with pytest.raises(tbr.Error):
        tbr.gradient(few.replace(operator="line-source"), target)


def test_states_that_no_machine_holds_are_refused(sheet):
    with pytest.raises(tbr.LimitError, match="GB of states"):
        tbr.gradient(sheet, np.zeros((2000, 2000, 3)), engine="stored")
