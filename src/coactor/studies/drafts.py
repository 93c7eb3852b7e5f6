"""Drafts as people see them: the path of the edits, and the moves that count."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from coactor.corrections import apply_move
from coactor.protocol import Domain, Matrix, Move, Problem, Solution
from coactor.search import features_along
from coactor.solutions import solution_key
from coactor.studies.codec import Codec
from coactor.studies.errors import Invalid
from coactor.studies.results import Draft, Ticket


def draft_path(domain: Domain, x: Problem, y: Solution, moves: list[Move]) -> list[Solution]:
    """Every solution from the proposal to the draft. Raises Invalid if a move cannot be applied."""
    path = [y]
    for move in moves:
        path.append(apply_move(domain, x, path[-1], move))
    return path


def without_loops(path: list[Solution], moves: list[Move]) -> list[Move]:
    """The moves that count: those that return to an earlier solution, and those in between, do not."""
    keys, steps = [solution_key(path[0])], list[Move]()
    for solution, move in zip(path[1:], moves, strict=True):
        key = solution_key(solution)
        if key in keys:
            back = keys.index(key)
            del keys[back + 1 :], steps[back:]
        else:
            keys.append(key)
            steps.append(move)
    return steps


def draft_features(domain: Domain, x: Problem, path: list[Solution]) -> Matrix:
    """The features of solutions. Raises Invalid if the domain cannot compute them."""
    try:
        return features_along(domain, x, path)
    except (ValueError, IndexError) as error:
        raise Invalid(f"The domain cannot compute the features of this solution: {error}") from error


def make_draft(
    domain: Domain,
    ticket: Ticket,
    problem: Problem,
    proposed: Solution,
    solution: Solution,
    moves: list[Move],
    undone: list[Move],
) -> Draft:
    """A draft with its features and how they differ from the proposal's."""
    rows = draft_features(domain, problem, [proposed, solution])
    features, change = rows[1].tolist(), (rows[1] - rows[0]).tolist()
    return Draft(ticket, problem, proposed, solution, moves, undone, features, change)


def plain_draft(codec: Codec, draft: Draft) -> dict[str, Any]:
    """A draft as JSON-able data, without the problem."""
    return {
        **asdict(draft.ticket),
        "proposed": codec.plain_solution(draft.proposed),
        "solution": codec.plain_solution(draft.solution),
        "moves": draft.moves,
        "undone": draft.undone,
        "features": draft.features,
        "change": draft.change,
    }
