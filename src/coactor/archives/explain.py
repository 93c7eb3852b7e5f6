"""Learned weights in the units of the archive, as sentences for practitioners."""

from __future__ import annotations

import numpy as np

from coactor.archives.archives import PlanArchive, TripArchive
from coactor.archives.cases import Archive
from coactor.explanations.words import taste_word
from coactor.protocol import Vector, feature_names, feature_signs


def describe_weights(archive: Archive, weights: Vector) -> list[str]:
    """Sentences about the weights, in the units of the archive."""
    if isinstance(archive, TripArchive):
        return _trips(archive, weights)
    if isinstance(archive, PlanArchive):
        return _plans(archive, weights)
    names, tastes = feature_names(archive.domain), weights * feature_signs(archive.domain)
    order = [k for k in np.argsort(-np.abs(weights), kind="stable")[:5] if weights[k]]
    if not order:
        return ["All weights are 0: nothing was learned."]
    largest = ", ".join(f"{names[k]} ({taste_word(tastes[k])}, {weights[k]:+.2g})" for k in order)
    return [f"The features with the largest weights are {largest}."]


def _trips(archive: TripArchive, weights: Vector) -> list[str]:
    network = archive.domain.network
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
    if archive.domain.habits:
        longer = w[len(network.names) :].sum() * (np.sqrt(0.9) - np.sqrt(0.1)) / metre
        sentences.append(
            f"A turn that 1 in 10 drivers takes counts as {longer:.0f} m longer than one that 9 in 10 take."
        )
    return sentences


def _plans(archive: PlanArchive, weights: Vector) -> list[str]:
    if weights[0] <= 0:
        return ["The weight of distance is not positive: nothing sensible was learned."]
    d = archive.distances
    unit = float(d[d > 0].mean())
    sentences = []
    for name, value in zip(archive.domain.feature_names[1:-1], weights[1:-1], strict=True):
        cost = f"costs {value / weights[0] * unit:.0f} distance units" if value > 0 else "costs nothing"
        sentences.append(f"An arc {name} {cost} more (the mean distance between stops is {unit:.0f}).")
    overload = weights[-1] / weights[0] * unit
    cost = f"costs {overload:.0f} distance units" if overload > 0 else "costs nothing"
    return [*sentences, f"A whole vehicle load above the stated capacity {cost}."]
