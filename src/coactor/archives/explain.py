"""Learned weights in the units of the archive, as sentences for practitioners."""

from __future__ import annotations

import numpy as np

from coactor.archives.cases import Archive
from coactor.domains import Roads
from coactor.explanations.words import taste_word
from coactor.protocol import Vector, feature_names, feature_signs


def describe_weights(archive: Archive, weights: Vector) -> list[str]:
    """Sentences about the weights, in the units of the archive."""
    if isinstance(archive.domain, Roads):
        return _trips(archive.domain, weights)
    names, tastes = feature_names(archive.domain), weights * feature_signs(archive.domain)
    order = [k for k in np.argsort(-np.abs(weights), kind="stable")[:5] if weights[k]]
    if not order:
        return ["All weights are 0: nothing was learned."]
    largest = ", ".join(f"{names[k]} ({taste_word(tastes[k])}, {weights[k]:+.2g})" for k in order)
    rates = [(names[k], abs(weights[k] / weights[0])) for k in order if k and tastes[0] < 0]
    return [
        f"The features with the largest weights are {largest}.",
        *(f"One of {name} counts as {rate:.2g} of {names[0]}." for name, rate in rates),
    ]


def _trips(domain: Roads, weights: Vector) -> list[str]:
    network = domain.network
    w = np.maximum(weights, 0.0)
    roads = network.link_features.shape[1]
    share = network.link_features.sum(axis=0)
    metre = float(w[:roads] @ share / share.sum()) / network.unit  # the cost of one metre of the average road
    if metre <= 0:
        return ["The weight of length is not positive: nothing sensible was learned."]
    sentences = []
    for name, value in zip(network.names[:roads], w[:roads], strict=True):
        equivalent = 100 * value / network.unit / metre
        sentences.append(f"100 m of {name} count as {equivalent:.0f} m of the average road.")
    for name, value in zip(network.names[roads:], w[roads : len(network.names)], strict=True):
        if value > 0:
            sentences.append(f"Each of the {name} counts as {value / metre:.0f} m.")
        else:
            sentences.append(f"The {name} do not count.")
    if domain.habits:
        longer = w[len(network.names) :].sum() * (np.sqrt(0.9) - np.sqrt(0.1)) / metre
        sentences.append(
            f"A turn that 1 in 10 drivers takes counts as {longer:.0f} m longer than one that 9 in 10 take."
        )
    return sentences
