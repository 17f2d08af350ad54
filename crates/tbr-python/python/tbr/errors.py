"""Errors by who must act, with the library's messages."""

from __future__ import annotations

import warnings


class Error(Exception):
    """What the library refuses: the base of all below."""


class RequestError(Error, ValueError):
    """A request that contradicts itself, the program, or the picture."""


class ProgramError(Error, ValueError):
    """A program is invalid; the message names the place in it."""


class LimitError(Error, ValueError):
    """Something is larger than this build will take."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class StoppedError(Error):
    """Something was stopped before it was done."""


class Note(UserWarning):
    """What the command says in passing: that a selection selects nothing, say."""


def tell(words: str) -> None:
    """Tells a note, to the line that called the package."""
    warnings.warn(words, Note, stacklevel=3)
