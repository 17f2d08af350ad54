"""Fits: the command's, byte for byte; their loop, their callbacks, where they stand."""

from __future__ import annotations

import numpy as np
import pytest

import tbr

QUICK = dict(strokes=30, preset="fast", steps=6, size=64)


def fitted(run, tmp_path, picture, *options):
    """The program that the command makes of a picture."""
    pytest.importorskip("PIL.Image").fromarray(picture).save(tmp_path / "a.png")
    run("fit", "a.png", "-o", "p.tbr.json", *options)
    return (tmp_path / "p.tbr.json").read_text()


@pytest.mark.parametrize(
    "words, keywords",
    [
        (
            "--strokes 40 --preset fast --steps 8 --size 80",
            dict(strokes=40, preset="fast", steps=8, size=80),
        ),
        (
            "--strokes 30 --palette 4 --steps 5 --size 64 --seed 3 --straight",
            dict(strokes=30, palette=4, steps=5, size=64, seed=3, straight=True),
        ),
        (
            "--strokes 30 --palette 4 --palette-by pixels --error-by pixels --steps 5 --size 64",
            dict(
                strokes=30, palette=4, palette_by="pixels", error_by="pixels", steps=5, size=64
            ),
        ),
        (
            "--strokes 20 --palette #102030,#ffffff,#aa3322 --steps 4 --size 64 --drops",
            dict(
                strokes=20, palette=["#102030", "#ffffff", "#aa3322"], steps=4, size=64, drops=True
            ),
        ),
        (
            "--strokes 25 --operator calibrated --steps 3 --size 48 --matte #ff0000",
            dict(strokes=25, operator="calibrated", steps=3, size=48, matte=(1, 0, 0)),
        ),
        (
            "--strokes 12 --preset paper --steps 4 --size 48",
            dict(strokes=12, preset="paper", steps=4, size=48),
        ),
        ("--strokes 20 --steps 3 --preset best", dict(strokes=20, steps=3, preset="best")),
    ],
)
def test_a_fit_has_the_bytes_of_the_command(picture, run, tmp_path, words, keywords):
    text = fitted(run, tmp_path, picture, *words.split())
    assert tbr.fit(tmp_path / "a.png", **keywords).dumps() == text
    assert tbr.fit(picture, name="a.png", **keywords).dumps() == text


def test_a_fit_from_a_program_is_that_of_the_command(picture, run, tmp_path):
    text = fitted(run, tmp_path, picture, "--strokes", 20, "--size", 64, "--steps", 2)
    first = tbr.loads(text)
    run("fit", "a.png", "-o", "q.tbr.json", "--from", "p.tbr.json", "--steps", 2, "--size", 64)
    own = tbr.fit(tmp_path / "a.png", start=first, steps=2, size=64)
    theirs = tbr.load(tmp_path / "q.tbr.json")
    assert own.replace(provenance={}) == theirs.replace(provenance={})
    assert tbr.fit(tmp_path / "a.png", start=tmp_path / "p.tbr.json", steps=2, size=64) == theirs


def test_a_palette_may_be_a_file(picture, tmp_path):
    path = tmp_path / "colours.txt"
    path.write_text("#102030\n#ffffff\n")
    program = tbr.fit(picture, palette=path, **QUICK)
    assert program == tbr.fit(picture, palette=str(path), **QUICK)
    assert program == tbr.fit(picture, palette=["#102030", "#ffffff"], **QUICK)


def test_tools_come_last_and_are_fitted(picture):
    comb = "comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.1"
    program = tbr.fit(picture, tools=[comb], **QUICK)
    assert [tool.kind for tool in program.tools] == ["comb"] and program.tools_after == [30]
    held = tbr.fit(picture, tools=[tbr.Tool(comb)], hold_tools=True, **QUICK)
    assert held.tools == [tbr.Tool(comb)]
    asked = [fitted.provenance["options"].get("hold_tools", False) for fitted in (program, held)]
    assert asked == [False, True]


def test_any_option_of_the_library_can_be_set(picture):
    fit = tbr.Fit(picture, options={"judge_every": 3}, **QUICK)
    assert fit.options["judge_every"] == 3 and fit.options["strokes"] == 30
    for wrong in ({"judge_evry": 3}, {"judge_every": "x"}, {"judge_every": 0}, 3):
        with pytest.raises(tbr.RequestError, match="option|judge"):
            tbr.Fit(picture, options=wrong, **QUICK)


def test_the_loop_is_the_callers(picture):
    fit = tbr.Fit(picture, **QUICK)
    with pytest.raises(tbr.RequestError, match="not begun"):
        fit.program
    reports = list(fit)
    assert fit.done and list(fit) == []
    assert reports[-1].step == reports[-1].steps == 7 and reports[-1].progress == 1
    assert reports[-1].floor_ratio > 1 and any(report.improved for report in reports)
    assert fit.program == tbr.fit(picture, **QUICK) and fit.error > 0
    assert fit.size == (64, 64)


def test_a_fit_goes_on_from_its_state(picture):
    whole = tbr.fit(picture, **QUICK)
    fit = tbr.Fit(picture, **QUICK)
    while fit.step().step < 4:
        pass
    state = fit.state()
    again = tbr.Fit(picture, state=state, **QUICK)
    assert next(iter(again)).step == 5
    for _ in again:
        pass
    assert again.program == whole
    with pytest.raises(tbr.RequestError, match="other options"):
        tbr.Fit(picture, state=state, **{**QUICK, "seed": 1})
    with pytest.raises(tbr.RequestError, match="another picture"):
        tbr.Fit(picture[::-1], state=state, **QUICK)
    with pytest.raises(tbr.FileError, match="checksum"):
        tbr.Fit(picture, state=state[:-5] + b"00000", **QUICK)


def test_the_command_goes_on_from_a_state(picture, run, tmp_path):
    pytest.importorskip("PIL.Image").fromarray(picture).save(tmp_path / "a.png")
    fit = tbr.Fit(tmp_path / "a.png", **QUICK)
    while fit.step().step < 3:
        pass
    (tmp_path / "a.tbr.checkpoint").write_bytes(fit.state())
    run("fit", "a.png", "--preset", "fast", "--strokes", 30, "--steps", 6, "--size", 64)
    for _ in fit:
        pass
    assert (tmp_path / "a.tbr.json").read_text() == fit.program.dumps()


def test_callbacks_hear_every_step_and_may_raise(picture):
    heard = []
    program = tbr.fit(picture, callback=heard.append, **QUICK)
    assert heard[-1].step == 7 and len(program) == 30

    class Enough(Exception):
        pass

    def enough(report):
        if report.step == 3:
            raise Enough(report)

    with pytest.raises(Enough) as raised:
        tbr.fit(picture, callback=enough, **QUICK)
    assert raised.value.args[0].step == 3
    with pytest.raises(StopIteration):
        tbr.fit(picture, callback=lambda _: next(iter(())), **QUICK)


def test_ctrl_c_in_a_callback_keeps_the_best(picture):
    def stop(report):
        if report.step == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        tbr.fit(picture, callback=stop, **QUICK)
    assert len(stopped.value.program) == 30
    for _ in stopped.value.fit:
        pass
    assert stopped.value.fit.program == tbr.fit(picture, **QUICK)


def test_budgets_are_in_words_that_people_have(picture, capsys):
    options = dict(preset="fast", size=64)
    few = tbr.fit(picture, psnr=14, strokes=20, steps=3, **options)
    floor = few.provenance["floor_ratio"]
    target = tbr.Fit(picture, strokes=len(few), steps=3, **options)
    for _ in target:
        pass
    assert target.error <= 10**-1.4 and target.program == few and floor > 0
    program = tbr.fit(picture, seconds=1.0, strokes=20, **options)
    assert len(program) == 20
    with pytest.raises(tbr.RequestError, match="only one"):
        tbr.fit(picture, psnr=20, seconds=3, **options)
    with pytest.raises(tbr.RequestError, match="above 0"):
        tbr.fit(picture, seconds=0, **options)
    with pytest.raises(tbr.RequestError, match="palette allows"):
        tbr.fit(picture, psnr=90, palette=2, strokes=5, steps=1, **options)


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(seconds=np.nan), "above 0 and at most 86400"),
        (dict(seconds=np.inf), "above 0 and at most 86400"),
        (dict(psnr=np.nan), "above 0 and at most 100"),
        (dict(error=2), "above 0 and at most 1"),
        (dict(seconds=3, steps=4), "seconds and steps"),
        (dict(psnr=20, comb=True), "psnr and comb"),
        (dict(error=0.01, start=tbr.sample("battal")), "error and start"),
        (dict(seconds=3, preset="paper"), "preset paper"),
    ],
)
def test_budgets_that_do_not_fit_are_refused(picture, options, words):
    with pytest.raises(tbr.RequestError, match=words):
        tbr.fit(picture, **{**dict(strokes=5, size=32, preset="fast"), **options})


def test_ctrl_c_in_a_search_leaves_what_was_found(picture):
    begun = []

    def stop(report):
        begun.append(report.step == 1)
        if sum(begun) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        tbr.fit(picture, psnr=12, strokes=20, steps=3, preset="fast", size=64, callback=stop)
    assert len(stopped.value.program) == 20 and stopped.value.fit is not None


def test_progress_is_shown_where_it_is_wanted(picture, capsys):
    pytest.importorskip("tqdm")
    tbr.fit(picture, progress=True, **QUICK)
    assert "floor ratio" in capsys.readouterr().err
    tbr.fit(picture, **QUICK)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "options, kind, words",
    [
        (dict(strokes=0), tbr.RequestError, "without strokes"),
        (dict(strokes=10**9), tbr.LimitError, "strokes"),
        (dict(strokes=-1), tbr.RequestError, "strokes"),
        (dict(strokes=2.5), tbr.RequestError, "strokes"),
        (dict(preset="slow"), tbr.RequestError, "no preset"),
        (dict(size=3), tbr.RequestError, "from 16 to 8192"),
        (dict(palette=0), tbr.RequestError, "palette|colours"),
        (dict(palette=-3), tbr.RequestError, "at least one colour"),
        (dict(palette=[[255, 0, 0]]), tbr.RequestError, "from 0 to 1"),
        (dict(palette_by="nose"), tbr.RequestError, "eyes"),
        (dict(palette_by="eyes"), tbr.RequestError, "palette_by is for colours"),
        (dict(error_by="nose"), tbr.RequestError, "error_by"),
        (dict(hold_tools=True), tbr.RequestError, "needs tools"),
        (dict(tools=["broom"]), tbr.RequestError, "broom"),
        (dict(tools="swirl centre 0,0 radius 1 turn 9"), tbr.RequestError, "tools are a list"),
        (dict(bare=True, preset="paper"), tbr.RequestError, "paints everywhere"),
        (dict(start="a.tbr.json"), tbr.FileError, "a.tbr.json"),
        (dict(start=b"{}"), tbr.RequestError, "start is a tbr.Program"),
        (dict(matte="red"), tbr.RequestError, "matte"),
        (dict(stroks=3), TypeError, "stroks"),
    ],
)
def test_options_that_make_no_sense_are_refused(picture, options, kind, words):
    with pytest.raises(kind, match=words):
        tbr.fit(picture, **{**dict(preset="fast", steps=1, size=32), **options})


def test_fits_are_the_same_whatever_the_threads(picture):
    before = tbr.threads()
    try:
        tbr.set_threads(1)
        alone = tbr.fit(picture, **QUICK)
        assert tbr.threads() == 1
        tbr.set_threads(3)
        assert tbr.fit(picture, **QUICK) == alone and tbr.threads() == 3
    finally:
        tbr.set_threads()
    assert tbr.threads() == before
    with pytest.raises(tbr.RequestError):
        tbr.set_threads(0)
