"""A live table of what has become of many pictures, on a terminal or in a notebook."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Deque, List, Union

if TYPE_CHECKING:
    from .distributed import Record

#: Pictures in the table: those that were done last.
ROWS = 10
#: Seconds between two looks of it.
EVERY = 0.2


class Table:
    """A table of the pictures that were done last, and how many there are of each kind."""

    def __init__(self, pictures: int, wanted: bool) -> None:
        self._pictures = pictures
        self._last: Deque[Record] = deque(maxlen=ROWS)
        self._counts: Counter[str] = Counter()
        self._begun = time.monotonic()
        self._shown = 0.0
        self._page = _page() if wanted else None

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self._show()

    def add(self, record: Record) -> None:
        """Adds what has become of a picture."""
        self._last.append(record)
        self._counts[record.status] += 1
        if time.monotonic() - self._shown >= EVERY:
            self._show()

    def _show(self) -> None:
        self._shown = time.monotonic()
        if self._page is not None:
            self._page.show(self.text())

    def text(self) -> str:
        """The table as it stands."""
        done = sum(self._counts.values())
        seconds = time.monotonic() - self._begun
        left = seconds / done * (self._pictures - done) if done else 0.0
        counts = ", ".join(f"{count} {status}" for status, count in self._counts.items())
        lines = [f"{'picture':40} {'status':12} {'PSNR':>6} {'strokes':>7} {'seconds':>8}"]
        lines += [_row(record) for record in self._last]
        lines += [f"{done} of {self._pictures}: {counts or 'none yet'}; {left / 60:.1f} min left"]
        return "\n".join(lines)


def _row(record: Record) -> str:
    psnr = "" if record.psnr is None else f"{record.psnr:.2f}"
    strokes = "" if record.strokes is None else str(record.strokes)
    seconds = "" if record.seconds is None else f"{record.seconds:.1f}"
    row = f"{record.picture[-40:]:40} {record.status:12} {psnr:>6} {strokes:>7} {seconds:>8}"
    row = f"{row}  {record.error}" if record.error else row
    return "".join(char if char.isprintable() else "?" for char in row)


class _Terminal:
    """Text on standard error that takes the place of what was there before it."""

    def __init__(self) -> None:
        self._lines = 0

    def show(self, text: str) -> None:
        up = f"\x1b[{self._lines}F\x1b[J" if self._lines else ""
        width = shutil.get_terminal_size().columns - 1
        lines = [line[:width] for line in text.splitlines()]
        print(up + "\n".join(lines), file=sys.stderr, flush=True)
        self._lines = len(lines)


class _Notebook:
    """Text below a notebook's cell."""

    def show(self, text: str) -> None:
        from IPython.display import clear_output

        clear_output(wait=True)
        print(text)


def _page() -> Union[_Terminal, _Notebook, None]:
    """Where text can be shown and shown anew; none where nobody looks."""
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        return _Notebook()
    return _Terminal() if sys.stderr.isatty() else None


__all__: List[str] = ["Table"]
