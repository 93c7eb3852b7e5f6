"""The vectors of a tell in few bytes, and the digest of weights.

A tell stores the vectors, not the moves alone. A replay then needs neither the solver nor the domain, and
gives the same weights bit for bit even if features are computed differently later (new code, another
processor).

The path is stored as float64. The declined moves are many, and were rounded before anything was learned from
them (`coactor.corrections`), so they are stored as whole numbers of 10 or 12 bits. A tell of a 20-point tour
with 10 features takes under 4 kB, of a plan with 100 stops and 5 features under 100 kB.
"""

from __future__ import annotations

import hashlib
import struct
import zlib

import numpy as np

from coactor.corrections import SMALL, joined, split
from coactor.protocol import Feedback, Matrix, Vector

_HEADER = struct.Struct("<BIiI")  # flags, rows of the path, declined rows (-1: none), d
_LENGTH = struct.Struct("<I")  # of a part in bytes, and whether it is compressed
CUT, CHOSEN, ROUNDED, UNSURE = 1, 2, 4, 8  # flags; unless rounded, declined moves are stored as float64


def pack(feedback: Feedback) -> bytes:
    """Pack a feedback whose declined moves are rounded; `unpack` returns it bit for bit."""
    path = np.ascontiguousarray(feedback.path, dtype="<f8")
    flags = CUT * feedback.cut | CHOSEN * feedback.chosen | UNSURE * feedback.unsure
    rows, parts = -1, [path.tobytes()]
    if feedback.declined is not None:
        declined = np.ascontiguousarray(feedback.declined, dtype="<f8")
        rows, many = len(declined), declined.nbytes > SMALL
        flags |= ROUNDED * many
        parts += _rounded(declined) if many else [declined.tobytes()]
    return _HEADER.pack(flags, len(path), rows, path.shape[1]) + b"".join(map(_part, parts))


def unpack(
    data: bytes, cost: float, learned_for: str = "", estimated: bool = False
) -> tuple[Feedback, Vector]:
    """The feedback that `pack` was given, with what it does not pack; and the change of the weights.

    `data` is the packed feedback, followed by the change as `pack_weights` writes it.
    """
    flags, rows, declined_rows, dim = _HEADER.unpack_from(data)
    end, declined = len(data) - 8 * dim, None
    first, *rest = _parts(data[_HEADER.size : end])
    path = np.frombuffer(first, "<f8").reshape(rows, dim)
    if flags & ROUNDED:
        declined = _unrounded(rest, declined_rows, dim)
    elif declined_rows >= 0:
        declined = np.frombuffer(rest[0], "<f8").reshape(declined_rows, dim)
    cut, chosen, unsure = (bool(flags & flag) for flag in (CUT, CHOSEN, UNSURE))
    feedback = Feedback(path, cost, declined, cut, learned_for, estimated, chosen, unsure)
    return feedback, unpack_weights(data[end:])


def _rounded(rows: Matrix) -> tuple[bytes, bytes, bytes]:
    """The bits of an entry and the exponents; the upper 8 bits of all entries, by feature; the lower bits."""
    bits, exponents, numbers = split(rows)
    entries = numbers.astype(np.int16).T
    upper = (entries >> (bits - 8)).astype(np.int8)
    lower = (entries & ((1 << (bits - 8)) - 1)).astype(np.uint8)
    return bytes([bits]) + exponents.astype("<i2").tobytes(), upper.tobytes(), lower.tobytes()


def _unrounded(parts: list[bytes], rows: int, dim: int) -> Matrix:
    bits, exponents = parts[0][0], np.frombuffer(parts[0][1:], "<i2").astype(np.int64)
    upper, lower = np.frombuffer(parts[1], np.int8), np.frombuffer(parts[2], np.uint8)
    entries = ((upper.astype(np.int16) << (bits - 8)) | lower).reshape(dim, rows).T
    return np.ascontiguousarray(joined(exponents, entries.astype(np.float64)))


def _part(data: bytes) -> bytes:
    """A part of packed data with its length, compressed if that makes it shorter."""
    shorter = zlib.compress(data, 6)
    compressed = len(shorter) < len(data)
    data = shorter if compressed else data
    return _LENGTH.pack(2 * len(data) + compressed) + data


def _parts(data: bytes) -> list[bytes]:
    parts, start = [], 0
    while start < len(data):
        length, compressed = divmod(_LENGTH.unpack_from(data, start)[0], 2)
        start += _LENGTH.size
        part = data[start : start + length]
        parts.append(zlib.decompress(part) if compressed else part)
        start += length
    return parts


def pack_weights(weights: Vector) -> bytes:
    """Weights as little-endian float64."""
    return np.ascontiguousarray(weights, dtype="<f8").tobytes()


def unpack_weights(data: bytes) -> Vector:
    """The weights that `pack_weights` was given, in a new array."""
    return np.frombuffer(data, "<f8").astype(np.float64)


def digest(weights: Vector) -> str:
    """A short hash of weights; it changes with every bit."""
    return hashlib.blake2b(pack_weights(weights), digest_size=12).hexdigest()
