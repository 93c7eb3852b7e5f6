"""From what somebody says he did to the correction, the feedback and the fact. Nothing is written here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coactor.corrections import edit_distance, feedback
from coactor.protocol import Correction, Feedback, Move, Problem, Solution
from coactor.studies.codec import Codec, number, plain, plain_move, to_plain
from coactor.studies.errors import Invalid
from coactor.studies.log.facts import Told, canonical, content_hash, pack
from coactor.studies.proposing import Shown

if TYPE_CHECKING:
    from coactor.studies.study import Study

MOST_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class Given:
    """A tell as it came in."""

    moves: Any
    path: Any
    solution: Any
    effort: float | None
    learn: bool
    note: str
    cut: bool
    seconds: float | None
    submit: int | None = None  # the revision of the draft that was submitted

    def name(self, codec: Codec) -> str:
        """The same for the same tell: a repetition is recognised by it. Active time may differ."""
        steps = None if self.submit is not None else to_plain(self.moves)
        path = None if self.path is None else [plain(codec, z) for z in self.path]
        final = None if self.solution is None else plain(codec, self.solution)
        effort = None if self.effort is None else float(self.effort)
        said = [steps, path, final, effort, self.learn, self.note, self.cut, self.submit]
        return content_hash(canonical(said))[:24]


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A checked tell, ready to be written."""

    source: str
    moves: list[Move]
    final: Any
    effort: float
    estimated: bool
    feedback: Feedback
    given: Given
    request: str
    shown: Shown

    @property
    def learn(self) -> bool:
        return self.given.learn

    def fact(self, id: int, *, version: int, gross: int, digest: str, asked_key: str | None) -> Told:
        """The fact, once the log says which version it makes."""
        return Told(
            proposal=id,
            solution=self.final,
            source=self.source,
            moves=self.moves,
            effort=self.effort,
            cost=self.feedback.cost,
            estimated=self.estimated,
            cut=self.given.cut,
            learn=self.learn,
            asked_with=self.shown.version,
            version=version,
            gross=gross,
            note=self.given.note,
            seconds=self.given.seconds,
            asked_key=asked_key,
            request=self.request,
            digest=digest,
            chance=self.shown.chance,
            expected=self.shown.expected,
            vectors=pack(self.feedback) if self.learn else b"",
        )


def prepare(study: Study, shown: Shown, given: Given) -> Prepared:
    """Check everything that came from outside and compute what the learner will be given."""
    x, y = shown.problem, shown.solution
    for name in ("learn", "cut"):
        if not isinstance(getattr(given, name), bool):
            raise Invalid(f"{name!r} must be true or false.")
    if given.effort is not None:
        number(given.effort, "effort", 1e6)
    if given.seconds is not None:
        number(given.seconds, "seconds", 1e9)
    if sum(what is not None for what in (given.moves, given.path, given.solution)) != 1:
        raise Invalid("Say what was done in one way: moves (an empty list accepts), path, or solution.")
    source, correction = _correction(study, x, y, given)
    config = study.config
    weights = None
    if config["candidate"] == "disagreement":
        weights = study.weights(shown.version)
    reads = study.ledger.model.learner.reads
    vectors = feedback(study.domain, x, correction, reads, config["candidate"], weights)
    return Prepared(
        source,
        list(correction.moves),
        study.codec.plain_solution(correction.final),
        correction.effort,
        correction.estimated,
        vectors,
        given,
        given.name(study.codec),
        shown,
    )


def _correction(study: Study, x: Problem, y: Solution, given: Given) -> tuple[str, Correction]:
    codec = study.codec
    if given.solution is not None:
        z = _read(codec, x, given.solution)
        guess = edit_distance(study.domain, x, y, z) if given.effort is None else None
        effort = float(given.effort) if given.effort is not None else guess or 0.0
        if codec.same(y, z):
            return "solution", Correction([y], [], [], given.cut, estimated=guess is not None)
        # The steps in between were not seen: the learner is given the two ends, and no invented preferences.
        return "solution", Correction([y, z], [], [effort], given.cut, estimated=guess is not None)
    if given.path is not None:
        if not isinstance(given.path, list | tuple) or not 1 <= len(given.path) <= MOST_STEPS:
            raise Invalid(f"A path is a list of 1 to {MOST_STEPS} solutions, the proposal first.")
        path = [_read(codec, x, z) for z in given.path]
        if not codec.same(path[0], y):
            raise Invalid("The path does not begin with the proposal; put the proposed solution first.")
        costs = _costs(given.effort, [1.0] * (len(path) - 1))
        return "path", Correction(path, [], costs, given.cut)
    if not isinstance(given.moves, list | tuple) or len(given.moves) > MOST_STEPS:
        raise Invalid(f"Moves are a list of at most {MOST_STEPS} edits; an empty list accepts the proposal.")
    steps = [plain_move(move) for move in given.moves]
    path = [y]
    for move in steps:
        path.append(codec.apply(x, path[-1], move))
    costs = _costs(given.effort, [cost_of(study.config, move) for move in steps])
    return "moves", Correction(path, steps, costs, given.cut)


def cost_of(config: dict[str, Any], move: Move) -> float:
    """What an operator costs in this study."""
    return float(config["costs"].get(move["op"], 1.0))


def _costs(effort: float | None, costs: list[float]) -> list[float]:
    if effort is None:
        return costs
    if not costs and effort > 0:
        raise Invalid("An effort above 0 needs at least one step; an accepted proposal costs nothing.")
    return [float(effort) / len(costs)] * len(costs) if costs else []


def _read(codec: Codec, x: Problem, data: Any) -> Solution:
    """A solution as an object of the domain, or as JSON-able data."""
    return codec.solution(x, plain(codec, data))
