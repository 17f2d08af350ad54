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
        ("nowhere.png", "nowhere.png"),
        (None, "object|shape"),
    ],
)
def test_what_is_no_picture_is_refused(bad, words):
    with pytest.raises(tbr.Error, match=words):
        tbr.fit(bad, **QUICK)
