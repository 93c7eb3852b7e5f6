"""The vectors of a tell as packed float64, and the digest of weights.

A tell stores the vectors, not the moves alone. A replay then needs neither the solver nor the domain, and
gives the same weights bit for bit even if features are computed differently later (new code, another
processor). The price is disk space: two rows of d numbers for a learner that reads the ends; the path and one
row per declined move for a learner that reads everything (a 20-point tour: 14 kB at 10 features, 140 kB at
100). Rows that are mostly zeros, as in rankings, are compressed.
"""

from __future__ import annotations

import hashlib
import struct
import zlib

import numpy as np

from coactor.protocol import Feedback, Vector

_HEADER = struct.Struct("<BBIiI")  # compressed?, cut?, rows of the path, declined rows (-1: none), d


def pack(feedback: Feedback) -> bytes:
    """Pack a feedback, float64 for float64; mostly-zero vectors are compressed."""
    path = np.ascontiguousarray(feedback.path, dtype="<f8")
    declined = None if feedback.declined is None else np.ascontiguousarray(feedback.declined, dtype="<f8")
    numbers = path.tobytes() + (b"" if declined is None else declined.tobytes())
    nonzeros = np.count_nonzero(path) + (0 if declined is None else np.count_nonzero(declined))
    compressed = len(numbers) > 4096 and 2 * nonzeros < len(numbers) // 8
    rows = -1 if declined is None else len(declined)
    header = _HEADER.pack(bool(compressed), bool(feedback.cut), len(path), rows, path.shape[1])
    return header + (zlib.compress(numbers, 1) if compressed else numbers)


def unpack(data: bytes, cost: float) -> Feedback:
    """The feedback that `pack` was given."""
    compressed, cut, rows, declined_rows, dim = _HEADER.unpack_from(data)
    numbers = np.frombuffer(
        zlib.decompress(data[_HEADER.size :]) if compressed else data[_HEADER.size :], "<f8"
    )
    path = numbers[: rows * dim].reshape(rows, dim)
    declined = None if declined_rows < 0 else numbers[rows * dim :].reshape(declined_rows, dim)
    return Feedback(path=path, cost=cost, declined=declined, cut=bool(cut))


def pack_weights(weights: Vector) -> bytes:
    """Weights as little-endian float64."""
    return np.ascontiguousarray(weights, dtype="<f8").tobytes()


def unpack_weights(data: bytes) -> Vector:
    """The weights that `pack_weights` was given, in a new array."""
    return np.frombuffer(data, "<f8").astype(np.float64)


def digest(weights: Vector) -> str:
    """A short hash of weights; it changes with every bit."""
    return hashlib.blake2b(pack_weights(weights), digest_size=12).hexdigest()
