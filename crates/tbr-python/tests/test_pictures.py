"""Pictures in: every kind of array, Pillow's pictures, and what is none."""

from __future__ import annotations

import numpy as np
import pytest

import tbr
from conftest import wanted

QUICK = dict(strokes=12, preset="fast", steps=2, size=32)


def same(a, b):
    """Are the fits of two pictures the same, to the last bit?"""
    return tbr.fit(a, name="a", **QUICK) == tbr.fit(b, name="a", **QUICK)


@pytest.fixture
def small(picture):
    return picture[::3, ::3]


def test_kinds_of_arrays_are_one_picture(small):
    assert not small.flags.c_contiguous
    assert same(small, np.ascontiguousarray(small))
    assert same(small, np.asfortranarray(small))
    assert same(small, small.astype(np.uint16) * 257)
    assert same(small, small / 255)
    assert same(small[..., :1], small[..., 0])
    opaque = np.dstack([small, np.full(small.shape[:2], 255, np.uint8)])
    assert same(small, opaque)
    assert not same(small, small[::-1])
    half = (small / 255).astype(np.float16)
    assert same(half, half.astype(np.float32))


class Labelled(np.ndarray):
    """An array of somebody's own."""


def test_arrays_of_any_make_are_the_same_picture(small):
    words = small.astype(np.uint16) * np.uint16(257)
    assert same(words, words.astype(">u2")) and same(words, words.astype("<u2"))
    floats = small / 255
    for kind in (">f8", ">f4", "<f4", np.longdouble):
        assert same(floats.astype(kind), floats.astype(kind).astype(np.float64))
    assert same(small[::-1, ::-1], small[::-1, ::-1].copy())
    frozen = small.copy()
    frozen.setflags(write=False)
    assert same(small, frozen) and same(small, frozen[::-1][::-1])
    assert same(small, small.view(Labelled)) and same(small, memoryview(small.copy()))
    assert same(small, np.ma.masked_array(small)) and same(floats, floats.tolist())
    assert same(small > 99, (small > 99) * np.uint8(255))


def test_pictures_are_copied_only_if_they_must_be(small):
    from tbr._pictures import taken

    for own in (small.copy(), small / 255, small.astype(np.uint16)):
        assert taken(own) is own and np.shares_memory(taken(own[5:]), own)
    assert np.shares_memory(taken(small.copy()[:, :, 0][0:1]), small) is False


def test_tensors_are_pictures(small):
    torch = wanted("torch")
    floats = torch.tensor(small / 255, requires_grad=True)
    assert same(floats, small / 255) and same(torch.tensor(small), small)
    short = floats.to(torch.bfloat16)
    assert same(short, short.double().detach().numpy())
    with pytest.raises(tbr.RequestError, match="32 channels"):
        tbr.fit(torch.tensor(small).permute(2, 0, 1), **QUICK)


def test_pillows_pictures_are_pictures(small, tmp_path):
    image = wanted("PIL.Image")
    pillow = image.fromarray(np.ascontiguousarray(small))
    assert same(small, pillow)
    pillow.save(tmp_path / "a.png")
    opened, named = (
        tbr.fit(image.open(tmp_path / "a.png"), **QUICK),
        tbr.fit(tmp_path / "a.png", **QUICK),
    )
    assert opened == named and named.provenance["picture"] == "a.png"
    indexed = pillow.quantize(16)
    assert same(indexed, indexed.convert("RGB"))
    assert same(pillow.convert("L"), np.asarray(pillow.convert("L")))
    exif = image.Exif()
    exif[0x0112] = 6
    pillow.save(tmp_path / "turned.jpg", exif=exif, quality=100)
    turned = image.open(tmp_path / "turned.jpg")
    assert same(turned, np.rot90(np.asarray(turned), -1))


def test_pillows_pictures_keep_their_bits_and_their_alpha(small, tmp_path):
    image = wanted("PIL.Image")
    words = (small[..., 0].astype(np.uint16) * np.uint16(200)) + np.uint16(99)
    image.fromarray(words).save(tmp_path / "words.png")
    assert same(image.open(tmp_path / "words.png"), words)
    floats = (words / 65535).astype(np.float32)
    assert same(image.fromarray(floats), floats)
    with pytest.raises(tbr.RequestError, match="int32"):
        tbr.fit(image.fromarray(words.astype(np.int32)), **QUICK)
    clear = np.dstack([small, np.full(small.shape[:2], 255, np.uint8)])
    clear[:16, :, 3] = 90
    pillow = image.fromarray(clear)
    for own in (pillow, pillow.convert("RGBa").convert("RGBA"), pillow.convert("LA")):
        assert same(own, np.asarray(own))
    indexed = image.fromarray(small.copy()).quantize(8)
    indexed.info["transparency"] = 0
    assert same(indexed, np.asarray(indexed.convert("RGBA")))
    four = image.fromarray(small.copy()).convert("CMYK")
    assert same(four, four.convert("RGB"))


def test_transparent_parts_may_stay_bare(small):
    clear = np.dstack([small, np.full(small.shape[:2], 255, np.uint8)])
    clear[:16, :, 3] = 0
    bare = tbr.fit(clear, bare=True, matte="#ff0000", **QUICK)
    shown = tbr.render(bare, 32, background="none")
    assert (shown[:12, :, 3] == 0).mean() > 0.9 and (shown[20:, :, 3] > 0).mean() > 0.5
    assert bare != tbr.fit(clear, matte="#ff0000", **QUICK)


def test_a_mask_says_where_care_is_taken(small):
    mask = np.zeros(small.shape[:2], np.uint8)
    mask[:, 16:] = 255
    assert tbr.fit(small, mask=mask, **QUICK) == tbr.fit(small, mask=mask > 0, **QUICK)
    assert tbr.fit(small, mask=mask, **QUICK) != tbr.fit(small, **QUICK)
    with pytest.raises(tbr.RequestError, match="mask"):
        tbr.fit(small, mask=mask[:7], **QUICK)


@pytest.mark.parametrize(
    "bad, words",
    [
        (np.zeros((0, 4, 3)), "pixels|picture"),
        (np.zeros((4, 4, 5), np.uint8), "channels"),
        (np.zeros((2, 4, 4, 3), np.uint8), "shape"),
        (np.zeros(7, np.uint8), "shape"),
        (np.zeros((4, 4, 3), np.int64), "int64"),
        (np.zeros((4, 4, 3), complex), "complex"),
        (np.full((4, 4, 3), np.nan), "not finite"),
        (np.full((4, 4, 4), np.inf), "floats of a picture|not finite"),
        (np.full((4, 4, 3), 200.0), "from 0 to 1"),
        (np.zeros((1, 4, 3), np.uint8), "too few"),
        (np.array(0.5), "not a ndarray"),
        (np.ma.masked_equal(np.zeros((4, 4, 3)), 0), "masked"),
        ("nowhere.png", "nowhere.png"),
        (None, "not a NoneType"),
        (b"GIF89a", "not a bytes"),
        (tbr.sample("battal"), "not a Program"),
    ],
)
def test_what_is_no_picture_is_refused(bad, words):
    with pytest.raises(tbr.Error, match=words):
        tbr.fit(bad, **QUICK)
