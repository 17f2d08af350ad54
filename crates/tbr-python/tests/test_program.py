"""Programs: made, read, written, compared, sent elsewhere, shown."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tbr


def test_a_program_is_made_of_arrays_and_taken_apart_again(sheet, garden):
    for program in (sheet, garden):
        assert program.replace() == program
        assert len(program.steps) == len(program)
        table = program.strokes
        assert np.array_equal(table["anchor"], program.anchors)
        assert np.array_equal(table["colour"], program.colours)
    tools = [step for step in sheet.steps if isinstance(step, tbr.Tool)]
    assert tools == sheet.tools and len(tools) > 0


def test_arrays_are_copied_only_into_what_is_needed():
    anchors = np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2] / 20
    program = tbr.Program(anchors, half_widths=[0.1] * 3, colours=["#1d3f73"] * 3)
    assert np.array_equal(program.anchors, anchors.astype(float))
    assert np.array_equal(program.offsets, np.zeros((3, 2)))
    fortran = np.asfortranarray(np.random.default_rng(1).random((3, 3)))
    assert np.array_equal(program.replace(colours=fortran).colours, fortran)


def test_a_palette_may_be_in_words():
    program = tbr.Program(
        [[0.5, 0.5]],
        half_widths=[0.1],
        paints=[1],
        palette=["#000000", "#ff0000"],
        background="#00ff00",
    )
    assert program.colours.tolist() == [[1, 0, 0]] and program.background.tolist() == [0, 1, 0]


def test_an_empty_program_is_a_bare_canvas():
    empty = tbr.Program([], half_widths=[], colours=[], background="#0000ff", height=0.5)
    assert len(empty) == 0 and empty.anchors.shape == (0, 2) and empty.colours.shape == (0, 3)
    assert (tbr.render(empty, width=8) == [0, 0, 255]).all()
    loss, d = tbr.gradient(empty, np.zeros((4, 8, 3)))
    assert loss == pytest.approx(1 / 3) and d.anchors.shape == (0, 2)
    assert d.background == pytest.approx([0, 0, 2 / 3])
    assert tbr.loads(empty.dumps()) == empty


def test_tools_are_replaced_where_they_are_or_at_the_end(sheet):
    swirl = "swirl centre 0.5,0.5 radius 0.2 turn 40"
    plain = sheet.replace(tools=[])
    assert plain.tools == [] and plain.tools_after == []
    strokes = len(plain)
    assert plain.replace(tools=[swirl]).tools_after == [strokes]
    assert sheet.replace(tools=[swirl] * len(sheet.tools)).tools_after == sheet.tools_after
    assert sheet.replace(tools=[swirl], tools_after=[3]).tools_after == [3]
    with pytest.raises(tbr.RequestError, match="places in tools_after"):
        sheet.replace(tools=[swirl])


@pytest.mark.parametrize(
    "parts, words",
    [
        (dict(anchors=[[0, 0, 0]]), "anchors have the shape"),
        (dict(anchors=[[np.nan, 0]]), "stroke 1: anchor has the value NaN"),
        (dict(half_widths=[0]), "stroke 1: half_width is 0"),
        (dict(half_widths=[0.1, 0.2]), "half_widths have the shape [2], not (1,)"),
        (dict(bends=[3]), "stroke 1: bend is 3"),
        (dict(colours=[[0, 0, 2]]), "each value must be from 0 to 1"),
        (dict(colours=[[0, 0, 1j]]), "complex"),
        (dict(colours=[["a", "b", "c"]]), "colours"),
        (dict(paints=[0]), "palette index 0"),
        (dict(paints=[0.5]), "neither a palette entry nor -1"),
        (dict(height=0), "canvas height"),
        (dict(operator="oil"), '"oil" is none of'),
        (dict(background="blue"), "like"),
        (dict(background=[255, 0, 0]), "from 0 to 1"),
        (dict(tools=["broom"]), "broom"),
        (dict(tools="swirl centre 0,0 radius 1 turn 9"), "tools are a list: ['swirl"),
        (dict(tools=tbr.Tool("swirl centre 0,0 radius 1 turn 9")), "tools are a list: [tbr.Tool("),
        (dict(tools=["swirl centre 0,0 radius 1 turn 9"], tools_after=[5]), "out of order"),
    ],
)
def test_what_is_no_program_is_refused_in_words(parts, words):
    whole = dict(anchors=[[0.5, 0.5]], half_widths=[0.1], colours=[[0, 0, 0]])
    with pytest.raises((tbr.ProgramError, tbr.RequestError)) as refused:
        tbr.Program(**{**whole, **parts})
    assert words in str(refused.value), refused.value
    assert isinstance(refused.value, ValueError)


def test_programs_are_equal_if_their_files_are(sheet, garden):
    same = tbr.loads(sheet.dumps().encode())
    assert same == sheet and hash(same) == hash(sheet) and same is not sheet
    assert sheet != garden and sheet != "sheet" and len({sheet, same, garden}) == 2
    assert sheet.replace(height=0.5) != sheet


def test_what_is_equal_has_one_hash():
    program = tbr.Program([[0.0, 0.5]], half_widths=[0.1], colours=[[0, 0, 0]])
    other = program.replace(anchors=[[-0.0, 0.5]], background=[1, -0.0, 1])
    for a, b in [(program, program.replace(anchors=[[-0.0, 0.5]])), (other, other.replace())]:
        assert a == b and hash(a) == hash(b)


def test_programs_and_tools_travel(sheet):
    for way in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        assert way(sheet) == sheet
        assert way(sheet.tools[0]) == sheet.tools[0]


def test_files_are_whole_or_refused(sheet, tmp_path):
    path = tmp_path / "sheet.tbr.json"
    sheet.save(path)
    assert tbr.load(path) == sheet and path.read_text() == sheet.dumps()
    with pytest.raises(tbr.FileError):
        sheet.save(path)
    sheet.first(3).save(str(path), force=True)
    assert len(tbr.load(str(path))) == 3
    with pytest.raises(tbr.RequestError, match="tbr.json"):
        sheet.save(tmp_path / "sheet.png")
    with pytest.raises(tbr.FileError, match="nowhere") as refused:
        tbr.load(tmp_path / "nowhere.tbr.json")
    assert isinstance(refused.value, OSError)
    path.write_text("{}")
    with pytest.raises(tbr.ProgramError, match="sheet.tbr.json"):
        tbr.load(path)


def test_tools_have_words_and_numbers():
    comb = tbr.Tool("comb", through=(0.5, 0.5), angle=90, pull=0.05, spacing=0.03)
    assert comb == tbr.Tool(str(comb)) and hash(comb) == hash(tbr.Tool(str(comb)))
    assert comb.kind == "comb" and comb["reach"] == 0.015 and comb["through"] == (0.5, 0.5)
    assert comb.with_numbers(comb.numbers) == comb and len(comb.numbers) == 7
    stylus = tbr.Tool("stylus", from_=(0.1, 0.2), to=np.array([0.3, 0.4]), reach=np.float32(0.5))
    assert str(stylus) == "stylus from 0.1,0.2 to 0.3,0.4 reach 0.5 grip 0.6"
    with pytest.raises(KeyError):
        comb["turn"]
    with pytest.raises(tbr.RequestError, match="needs spacing"):
        tbr.Tool("comb through 0,0 angle 0 pull 0.1")
    with pytest.raises(tbr.RequestError, match="reach is 0"):
        comb.with_numbers(comb.numbers * 0)


def test_notebooks_see_a_picture(garden):
    png = garden._repr_png_()
    assert png.startswith(b"\x89PNG")
    page = garden._repr_html_()
    assert page.startswith("<figure") and "data:image/png;base64," in page
    tall = tbr.Program([], half_widths=[], colours=[], height=900)
    assert len(tall._repr_png_()) < 10_000


def test_the_png_of_notebooks_is_the_picture(garden):
    image = pytest.importorskip("PIL.Image")
    import io

    shown = np.asarray(image.open(io.BytesIO(garden._repr_png_())))
    height, width, _ = shown.shape
    assert np.array_equal(shown, tbr.render(garden, width=width, samples=2))
    assert height == round(width * garden.height)
