"""What is written in Python of a program: its strokes as a table, its pictures in notebooks."""

from __future__ import annotations

import struct
import zlib
from html import escape
from typing import TYPE_CHECKING, Any, Dict, List, Union

import numpy as np

if TYPE_CHECKING:
    from ._tbr import Program, Tool

#: Pixels across, and the most down, of a picture in a notebook.
SHOWN_PX = 384

STROKE = np.dtype(
    [
        ("anchor", "f8", 2),
        ("offset", "f8", 2),
        ("half_width", "f8"),
        ("bend", "f8"),
        ("colour", "f8", 3),
        ("paint", "i8"),
    ]
)


def strokes(program: Program) -> np.ndarray[Any, Any]:
    table = np.zeros(len(program.half_widths), STROKE)
    table["anchor"], table["offset"] = program.anchors, program.offsets
    table["half_width"], table["bend"] = program.half_widths, program.bends
    table["colour"], table["paint"] = program.colours, program.paints
    return table


def steps(program: Program) -> List[Union[np.void, Tool]]:
    rows = list(strokes(program))
    for after, tool in reversed(list(zip(program.tools_after, program.tools))):
        rows.insert(after, tool)
    return rows


def replace(program: Program, **parts: Any) -> Program:
    own: Dict[str, Any] = {
        name: getattr(program, name)
        for name in (
            "anchors offsets half_widths bends colours paints palette background height "
            "operator tools tools_after provenance"
        ).split()
    }
    if "colours" in parts and "paints" not in parts:
        own["paints"] = None
    if "tools" in parts and not (own["tools"] and parts["tools"]):
        own["tools_after"] = None
    return type(program)(**{**own, **parts})


def png(program: Program) -> bytes:
    from . import render

    height = max(1, round(SHOWN_PX * program.height))
    width = SHOWN_PX if height <= SHOWN_PX else max(1, round(SHOWN_PX / program.height))
    return png_of(render(program, width=width, samples=2))


def html(program: Program) -> str:
    from base64 import b64encode

    picture = b64encode(png(program)).decode()
    swatches = "".join(
        f'<span style="display:inline-block;width:1em;height:1em;background:{_hex(colour)}"></span>'
        for colour in program.palette[:64]
    )
    facts = f"{program!r}, {program.deposited_area:.2f} canvases of paint"
    return (
        f'<figure style="margin:0"><img alt="{escape(repr(program))}" '
        f'src="data:image/png;base64,{picture}"/>'
        f"<figcaption>{escape(facts)} {swatches}</figcaption></figure>"
    )


def _hex(colour: np.ndarray[Any, Any]) -> str:
    return "#" + "".join(f"{round(255 * value):02x}" for value in colour)


def png_of(pixels: np.ndarray[Any, Any]) -> bytes:
    """The file of a picture of bytes: the few lines that need no library."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    height, width, channels = pixels.shape
    colour_type = {3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    data = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
