"""What was learned, in words a practitioner would use."""

from __future__ import annotations

import numpy as np

from coactor.lab.archives.archives import Archive, PlanArchive, QueryArchive, TripArchive
from coactor.protocol import Vector


def in_words(archive: Archive, weights: Vector) -> list[str]:
    """Sentences about the weights, in the archive's own units."""
    if isinstance(archive, TripArchive):
        return _trips(archive, weights)
    if isinstance(archive, PlanArchive):
        return _plans(archive, weights)
    assert isinstance(archive, QueryArchive)
    order = np.argsort(-np.abs(weights), kind="stable")[:5]
    named = ", ".join(f"{archive.domain.feature_names[k]} ({weights[k]:+.2g})" for k in order)
    return [f"The features that count most are {named}."]


def _trips(archive: TripArchive, weights: Vector) -> list[str]:
    network = archive.network
    w = np.maximum(weights, 0.0)
    roads = network.link_features.shape[1]
    share = network.link_features.sum(axis=0)
    metre = float(w[:roads] @ share / share.sum()) / network.unit  # what one metre of the average road costs
    if metre <= 0:
        return ["Length does not count at all: nothing sensible was learned."]
    words = []
    for name, value in zip(network.names[:roads], w[:roads], strict=True):
        words.append(
            f"100 m of {name} feel like {100 * value / network.unit / metre:.0f} m of the average road."
        )
    for name, value in zip(network.names[roads:], w[roads : len(network.names)], strict=True):
        if value > 0:
            words.append(f"Each of the {name} feels like {value / metre:.0f} m.")
        else:
            words.append(f"The {name} do not matter.")
    if archive.domain.habit:
        words.append(
            f"A turn that 1 in 10 drivers takes feels {w[-1] * np.log(9) / metre:.0f} m longer than one "
            f"that 9 in 10 take."
        )
    return words


def _plans(archive: PlanArchive, weights: Vector) -> list[str]:
    if weights[0] <= 0:
        return ["Distance does not count at all: nothing sensible was learned."]
    d = archive.distances
    unit = float(d[d > 0].mean())
    names = archive.domain.feature_names
    words = []
    for name, value in zip(names[1:-1], weights[1:-1], strict=True):
        how = (
            f"is avoided like {value / weights[0] * unit:.0f} distance units more"
            if value > 0
            else "does not matter"
        )
        words.append(f"An arc {name} {how} (the mean distance between stops is {unit:.0f}).")
    over = weights[-1] / weights[0] * unit
    verdict = f"costs as much as {over:.0f} distance units" if over > 0 else "does not matter"
    return [*words, f"A whole vehicle load above the stated capacity {verdict}."]
