"""Pictures on their way in: paths stay paths, everything else becomes an array."""

from __future__ import annotations

import os
from typing import Any, Optional, Tuple, Union

import numpy as np

from .errors import RequestError

#: A path, an array of pixels, or a picture of Pillow's.
Picture = Union[str, "os.PathLike[str]", Any]


def taken(picture: Picture) -> Union[str, "np.ndarray[Any, Any]"]:
    """The path, or the pixels in rows: bytes, words, or doubles; (height, width, channels)."""
    if isinstance(picture, (str, os.PathLike)):
        return os.fspath(picture)
    if np.ma.is_masked(picture):
        raise RequestError("a masked picture: give it filled, and a fit what is masked as mask=")
    array = np.asarray(_opened(picture))
    if array.ndim == 0:
        kind = type(picture).__name__
        raise RequestError(f"a picture is a path, an array, or one of Pillow's; not a {kind}")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise RequestError(f"a picture has the shape {array.shape}, not (h, w) or (h, w, channels)")
    return np.ascontiguousarray(_valued(array))


def _valued(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Bytes, words or doubles, as this machine has them."""
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype.kind == "f":
        return array.astype(np.float64, copy=False)
    own = array.dtype.newbyteorder("=")
    if own not in (np.uint8, np.uint16):
        raise RequestError(f"a picture of {own}: its values are uint8, uint16, or floats from 0 to 1")
    return array.astype(own, copy=False)


def name_of(picture: Picture) -> Optional[str]:
    """The name of a picture's file, if it is known."""
    if isinstance(picture, (str, os.PathLike)):
        return os.path.basename(os.fspath(picture))
    name = getattr(picture, "filename", None)
    return os.path.basename(name) if isinstance(name, str) and name else None


def _opened(picture: Any) -> Any:
    """A picture of Pillow's upright, with colours and alpha; anything else as it is."""
    if not hasattr(picture, "getbands"):
        return _detached(picture)
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(picture)
    # (To convert what has more than eight bits would cut it off.)
    if upright.mode in ("1", "L", "LA", "RGB", "RGBA", "F") or upright.mode.startswith("I"):
        return upright
    clear = upright.mode in ("PA", "La", "RGBa") or "transparency" in upright.info
    return upright.convert("RGBA" if clear else "RGB")


def _detached(picture: Any) -> Any:
    """A tensor without its history; anything else as it is."""
    if not hasattr(picture, "detach"):
        return picture
    own = picture.detach().cpu()
    # (NumPy has no bfloat16.)
    return (own.double() if own.is_floating_point() else own).numpy()


def named(picture: Picture) -> Tuple[Union[str, "np.ndarray[Any, Any]"], str]:
    """The picture, and what a page calls it."""
    return taken(picture), name_of(picture) or "the picture"
