"""Canonical JSON: one value has one spelling, so that bytes can be hashed and compared."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import orjson

from coactor.studies.errors import Invalid


def canonical(data: Any) -> bytes:
    """Serialise JSON-able data with sorted keys and no spaces; floats survive bit for bit.

    Raises Invalid if the data cannot be written as JSON or holds NaN or infinity.
    """
    try:
        text = orjson.dumps(data, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    except (TypeError, orjson.JSONEncodeError) as error:
        raise Invalid(
            f"This cannot be written as JSON ({error}); give the domain encode_ and decode_ methods."
        ) from error
    if b"null" in text and not _is_finite(data):  # orjson writes NaN and infinity as null
        raise Invalid("A number is NaN or infinite; every number must be finite.")
    return text


def content_hash(data: bytes) -> str:
    """The key under which a problem or a part of a domain is stored: SHA-256 of its bytes."""
    return hashlib.sha256(data).hexdigest()


def _is_finite(data: Any) -> bool:
    if isinstance(data, float):
        return math.isfinite(data)
    if isinstance(data, np.ndarray):
        return data.dtype.kind not in "fc" or bool(np.isfinite(data).all())
    if isinstance(data, np.floating):
        return bool(np.isfinite(data))
    if isinstance(data, dict):
        return all(map(_is_finite, data.values()))
    return not isinstance(data, list | tuple) or all(map(_is_finite, data))
