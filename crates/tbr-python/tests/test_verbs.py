"""Replays, edits, scores, films and lists: the same as the command's."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import tbr


def read(path):
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(path))


def test_a_replay_has_the_bytes_of_the_command(garden, run, tmp_path):
    garden.save(tmp_path / "p.tbr.json")
    run("render", "p.tbr.json", "-o", "a.png", "--width", 300, "--samples", 2)
    assert np.array_equal(tbr.render(garden, 300, samples=2), read(tmp_path / "a.png"))
    run("render", "p.tbr.json", "-o", "b.png", "--width", 200, "--background", "none")
    assert np.array_equal(tbr.render(garden, 200, background="none"), read(tmp_path / "b.png"))
    region = (0.25, 0.25, 0.5, 0.25)
    run("render", "p.tbr.json", "-o", "c.png", "--region", "0.25,0.25,0.5,0.25", "--first", 40)
    assert np.array_equal(tbr.render(garden, region=region, first=40), read(tmp_path / "c.png"))


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.webp", "a.svg"])
def test_files_of_replays_are_those_of_the_command(garden, run, tmp_path, name):
    garden.save(tmp_path / "p.tbr.json")
    run("render", "p.tbr.json", "-o", name, "--width", 200)
    own = tmp_path / f"own-{name}"
    tbr.save_render(garden, own, 200)
    assert own.read_bytes() == (tmp_path / name).read_bytes()
    with pytest.raises(tbr.FileError):
        tbr.save_render(garden, own, 200)
    tbr.save_render(garden, own, 100, force=True)
    if name.endswith("svg"):
        assert tbr.svg(garden, 200) == (tmp_path / name).read_text()


def test_arrays_are_handed_over_and_can_be_written(garden):
    for picture in (tbr.render(garden, 64), tbr.render(garden, 64, dtype="float32")):
        assert picture.flags.c_contiguous and picture.flags.writeable
        picture[:] = 0
    floats = tbr.render(garden, 64, samples=2, dtype=np.float32, background="none")
    assert floats.shape[2] == 4 and 0 < floats[..., 3].mean() <= 1
    bytes_ = tbr.render(garden, 64, samples=2, background="none")
    assert np.array_equal(np.floor(floats * np.float32(255) + np.float32(0.5)), bytes_)
    with pytest.raises(TypeError):
        tbr.render(garden, 64, dtype=np.int32)


@pytest.mark.parametrize(
    "keywords, kind, words",
    [
        (dict(width=0), tbr.RequestError, "at least 1 pixel"),
        (dict(width=-1), tbr.RequestError, "^width: "),
        (dict(width=32.5), tbr.RequestError, "^width: 'float' object"),
        (dict(samples="2"), tbr.RequestError, "^samples: 'str' object"),
        (dict(region=(0, 0, 1)), tbr.RequestError, "^region: .*4"),
        (dict(region=(0, 0, np.nan, 1)), tbr.RequestError, "NaN"),
        (dict(width=100, height=7), tbr.RequestError, "stretch"),
        (dict(samples=99), tbr.LimitError, "samples"),
        (dict(first=10**6), tbr.RequestError, "steps, not|strokes, not"),
        (dict(operator="oil"), tbr.ProgramError, "none of"),
        (dict(region=(0, 0, 0, 0)), tbr.RequestError, "region"),
        (dict(background="white"), tbr.RequestError, "colour"),
        (dict(background=(255, 0, 0)), tbr.RequestError, "from 0 to 1"),
        (dict(width=10**6), tbr.LimitError, "too many"),
    ],
)
def test_replays_that_cannot_be_are_refused(garden, keywords, kind, words):
    with pytest.raises(kind, match=words):
        tbr.render(garden, **keywords)


@pytest.mark.parametrize(
    "name, keywords, words",
    [
        ("a.png", dict(crisp=True), "crisp is for SVG"),
        ("a.png", dict(depth=9), "depth of 9"),
        ("a.png", dict(dpi=0), "pixels per inch"),
        ("a.png", dict(dpi=np.nan), "pixels per inch"),
        ("a.jpg", dict(depth=16), "PNG"),
        ("a.jpg", dict(quality=0), "quality of 0"),
        ("a.jpg", dict(quality=900), "^quality: "),
        ("a.webp", dict(dpi=300), "pixels per inch"),
        ("a.svg", dict(depth=16), "depth is for pixels"),
        ("a.svg", dict(samples=2), "samples are for pixels"),
        ("a.svg", dict(dpi=-3), "pixels per inch"),
        ("a.txt", {}, "not a kind of picture"),
    ],
)
def test_files_that_cannot_be_are_refused(garden, tmp_path, name, keywords, words):
    with pytest.raises(tbr.RequestError, match=words):
        tbr.save_render(garden, tmp_path / name, 32, **keywords)
    assert list(tmp_path.iterdir()) == []


def test_owners_are_strokes(garden):
    owners = tbr.owners(garden, 100)
    colours = np.vstack([garden.background, garden.colours])
    expected = np.floor(colours[owners] * 255 + 0.5).astype(np.uint8)
    assert np.array_equal(tbr.render(garden, 100), expected)


def test_edits_are_those_of_the_command(sheet, run, tmp_path):
    sheet.save(tmp_path / "p.tbr.json")
    words = ["delete where last 20%", "rotate 30 about 0.5,0.5", "background #102030"]
    run("edit", "p.tbr.json", *words, "-o", "q.tbr.json")
    assert tbr.edit(sheet, *words) == tbr.load(tmp_path / "q.tbr.json")
    assert tbr.edit(sheet) == sheet
    with pytest.raises(tbr.RequestError, match='operation 2 "frob"'):
        tbr.edit(sheet, "reverse", "frob")


def test_what_the_command_notes_is_a_warning(garden):
    with pytest.warns(tbr.Note, match="selects no") as told:
        assert tbr.edit(garden, "delete where half-width 90..") == garden
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tbr.edit(garden, "delete where first 1")


def test_points_come_from_where_the_command_says(sheet, run, tmp_path):
    sheet.save(tmp_path / "p.tbr.json")
    at = [[0.3, 0.4], [0.5, 0.5], [0.9, 0.1]]
    words = [word for x, y in at for word in ("--at", f"{x},{y}")]
    for options, keywords in [
        ([], {}),
        (["--through"], dict(through=True)),
        (["--forward"], dict(forward=True)),
    ]:
        told = json.loads(run("trace", "p.tbr.json", *words, *options, "--json"))
        trace = tbr.trace(sheet, at, **keywords)
        assert np.array_equal(trace.positions, [point["position"] for point in told])
        assert trace.strokes.tolist() == [point["stroke"] or 0 for point in told]
    assert tbr.trace(sheet, (0.5, 0.5)).positions.shape == (1, 2)
    assert tbr.trace(sheet, np.zeros((0, 2))).strokes.shape == (0,)
    for at, keywords, words in [
        ([[0, 0, 0]], {}, "shape"),
        ([[0.5, 0.5], [np.nan, 0]], {}, "point 1"),
        ((np.inf, 0), dict(forward=True), "not finite"),
        ((0.5, 0.5), dict(after=5), "after is for forward"),
        ((0.5, 0.5), dict(forward=True, through=True), "only one"),
    ]:
        with pytest.raises(tbr.RequestError, match=words):
            tbr.trace(sheet, at, **keywords)


def test_scores_and_facts_are_those_of_the_command(garden, run, tmp_path):
    garden.save(tmp_path / "p.tbr.json")
    run("render", "p.tbr.json", "-o", "a.png", "--width", 128, "--samples", 4)
    told = json.loads(run("score", "p.tbr.json", "a.png", "--width", 128, "--json"))
    for target in (tmp_path / "a.png", read(tmp_path / "a.png")):
        own = tbr.score(garden, target, width=128)
        assert own == {**told, "lpips_alex": own["lpips_alex"], "vgg_feature": own["vgg_feature"]}
    assert tbr.info(garden) == json.loads(run("info", "p.tbr.json", "--json"))
    picture = tbr.render(garden, 64)
    assert tbr.score(picture, picture, width=None)["ssim"] == 1
    with pytest.raises(tbr.RequestError, match="times as high"):
        tbr.score(picture, picture[:10])


@pytest.mark.filterwarnings("ignore::tbr.Note")
def test_a_report_is_a_page(garden):
    page = tbr.report(garden, tbr.render(garden, 64), name="garden", width=64)
    assert page.startswith("<!") and "garden" in page


def test_films_are_those_of_the_command(garden, run, tmp_path):
    garden.save(tmp_path / "p.tbr.json")
    for name in ("a.gif", "a.webp"):
        run("animate", "p.tbr.json", "-o", name, "--frames", 5, "--fps", 10, "--width", 48)
        tbr.animate(garden, tmp_path / f"own-{name}", frames=5, fps=10, width=48)
        assert (tmp_path / f"own-{name}").read_bytes() == (tmp_path / name).read_bytes()
    frames = list(tbr.frames(garden, 5, width=48))
    assert len(frames) == 5 and np.array_equal(frames[-1], tbr.render(garden, 48))
    other = garden.replace(anchors=garden.anchors + 0.1)
    middle = list(tbr.frames(garden, 3, width=48, morph_to=other))[1]
    assert np.array_equal(middle, tbr.render(garden.replace(anchors=garden.anchors + 0.05), 48))
    assert len(list(tbr.frames(garden.first(2), 3000, seconds=1, width=1))) == 3000
    with pytest.raises(tbr.RequestError, match="seconds is 0"):
        tbr.frames(garden, 3, seconds=0)
    for keywords, words in [
        (dict(fps=0), "fps"),
        (dict(easing="bouncy"), "easing|none of"),
        (dict(frames=5, seconds=3), "seconds and frames"),
        (dict(frames=-5), "^frames: "),
        (dict(frames=0), "frame"),
        (dict(seconds=np.nan), "seconds is NaN"),
        (dict(hold=51), "hold is 51"),
        (dict(morph_to=other, grow=1), "grow is for"),
    ]:
        with pytest.raises(tbr.Error, match=words):
            tbr.animate(garden, tmp_path / "b.gif", width=32, **keywords)


def test_lists_are_those_of_the_command(garden, run, tmp_path):
    garden.save(tmp_path / "p.tbr.json")
    run("export", "p.tbr.json", "-o", "a.csv", "--sheet", 300)
    text = tbr.to_csv(garden, sheet=300)
    assert text == (tmp_path / "a.csv").read_text()
    back = tbr.from_csv(text)
    assert np.allclose(back.anchors, garden.anchors) and len(back) == len(garden)
    assert tbr.to_list(garden)["format"] == "tbr-strokes"
    with pytest.raises(tbr.ProgramError):
        tbr.from_csv("x,y\n1,2\n")


def test_pruned_programs_look_nearly_alike(garden, run, tmp_path):
    few = garden.first(60)
    few.save(tmp_path / "p.tbr.json")
    run("prune", "p.tbr.json", "-o", "q.tbr.json", "--error", 2)
    pruned = tbr.prune(few, error=2)
    assert pruned == tbr.load(tmp_path / "q.tbr.json") and len(pruned) < len(few)
    target = tbr.render(few, 128)
    assert len(tbr.prune(few, target, strokes=20)) == 20
    with pytest.raises(tbr.RequestError):
        tbr.prune(few, error=-1)
    with pytest.raises(tbr.RequestError):
        tbr.prune(few, strokes=10**6)
    with pytest.raises(tbr.RequestError, match="only one"):
        tbr.prune(few, strokes=20, error=2)


def test_combs_are_found_and_undone():
    picture = tbr.render(tbr.sample("nonpareil", seed=31), 512, samples=3)
    before, combs = tbr.uncomb(picture, size=512)
    assert combs and all(comb.kind in ("comb", "rake") for comb in combs)
    again, same = tbr.uncomb(picture, tools=combs, size=512)
    assert same == combs and np.array_equal(before, again) and before.shape == (512, 512, 3)
    with pytest.raises(tbr.RequestError, match="from 16 to 4096"):
        tbr.uncomb(picture, size=8)


def test_samples_have_names():
    assert "tulip" in tbr.sample_names()
    assert tbr.sample("whirl", seed=2) != tbr.sample("whirl")
    assert tbr.sample("hatip", height=0.5).height == 0.5
    with pytest.raises(tbr.RequestError, match="none of"):
        tbr.sample("tartan")
