"""From what a caller reports to a fact and new knowledge.

`Teller.prepare` runs outside the store's lock: it validates the request, computes the vectors and updates a
copy of the knowledge. `Teller.write` runs under the lock and repeats the update only if the weights have
changed in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from coactor.corrections import correction, plain_move
from coactor.explanations import lesson
from coactor.protocol import Correction, Domain, Feedback, Proposal, Round, Vector
from coactor.protocol.abilities import Preferences, feature_signs, has, learner_for
from coactor.rounds import Knowledge, learn, observe
from coactor.solutions import short
from coactor.studies.codec import Codec, number
from coactor.studies.errors import Conflict, Invalid, NotFound
from coactor.studies.log.chain import Entry, canonical, content_hash
from coactor.studies.log.facts import Told
from coactor.studies.log.ledger import Ledger, Writer
from coactor.studies.log.projection import observation, write_case
from coactor.studies.log.vectors import digest, pack, unpack
from coactor.studies.proposing import Proposer
from coactor.studies.tickets import last_told


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A tell as the caller sent it; solutions are objects of the domain or JSON-able data."""

    moves: Any = None
    path: Any = None
    solution: Any = None
    costs: Any = None
    effort: Any = None
    estimated: Any = False
    cut: Any = False
    learn: Any = True
    note: str = ""
    seconds: Any = None
    revision: int | None = None  # of the draft that was submitted; it identifies the moves

    @staticmethod
    def of(given: Correction, **more: Any) -> Request:
        """The request that reports a correction."""
        report: dict[str, Any] = {"moves": list(given.moves)} if given.moves else {"path": list(given.path)}
        return Request(**report, costs=list(given.costs), cut=given.cut, estimated=given.estimated, **more)

    def digest(self, codec: Codec) -> str:
        """Equal for equal requests, so that a repetition can be recognised; the active time may differ."""
        by_hand = self.moves is not None and self.revision is None
        parts: list[Any] = [
            [plain_move(move) for move in _sequence(self.moves, "moves")] if by_hand else None,
            None if self.path is None else [codec.plain(z) for z in _sequence(self.path, "path")],
            None if self.solution is None else codec.plain(self.solution),
            None if self.effort is None else number(self.effort, "effort", 1e6),
            self.learn,
            self.note,
            self.cut,
            self.revision,
        ]
        if self.costs is not None:
            parts += [_costs(self.costs), self.estimated]
        return content_hash(canonical(parts))[:24]


class Trial(NamedTuple):
    """What is known before and after a tell that is not written yet."""

    before: Knowledge
    after: Knowledge


class Teller:
    """Makes facts of corrections, and rounds of facts.

    Parameters
    ----------
    domain, codec
        What is corrected, and how it is written down.
    ledger
        The study's log.
    proposer
        Knows what the alternatives of the guard would have proposed.
    """

    def __init__(self, domain: Domain, codec: Codec, ledger: Ledger, proposer: Proposer) -> None:
        self._domain = domain
        self._codec = codec
        self._ledger = ledger
        self._proposer = proposer
        self._signs = feature_signs(domain)

    @property
    def _config(self) -> dict[str, Any]:
        return self._ledger.projection.config

    def prepare(self, proposal: Proposal, request: Request, person: str) -> tuple[Told, Trial]:
        """Validate a tell and learn from it on trial, for a person. Nothing is written.

        Raises Invalid if the request is invalid, or if the domain or the learner rejects it.
        """
        for name in ("learn", "cut", "estimated"):
            if not isinstance(getattr(request, name), bool):
                raise Invalid(f"{name!r} must be true or false; found {short(getattr(request, name))}.")
        if request.effort is not None:
            number(request.effort, "effort", 1e6)
        seconds = None if request.seconds is None else number(request.seconds, "seconds", 1e9)
        source, done = self._correction(proposal, request)
        with self._ledger.lock:
            before = self._ledger.projection.knowledge
        candidate = self._config["candidate"]
        weights = None
        if candidate == "disagreement":
            weights = self._ledger.weights(proposal.version, proposal.person)
        observed = observe(self._domain, proposal, done, before.learner.reads, candidate, weights, person)
        vectors = observed.feedback
        if not request.learn:  # the ends say what changed; nothing will be learned from the rest
            vectors = Feedback(vectors.path[[0, -1]], vectors.cost, None, vectors.cut)
        told = Told(
            proposal=proposal.id,
            solution=self._codec.plain_solution(done.final),
            source=source,
            moves=list(done.moves),
            effort=done.effort,
            cost=vectors.cost,
            estimated=done.estimated,
            cut=done.cut,
            learn=request.learn,
            asked_with=proposal.version,
            version=0,
            gross=0,
            note=request.note,
            seconds=seconds,
            request=request.digest(self._codec),
            chance=proposal.chance,
            expected=proposal.expected_moves,
            accepted=observed.accepted,
            case=write_case(observed.case) if observed.case is not None and request.learn else None,
            left=self._proposer.edits_left(before, proposal, done) if request.learn else None,
            person=person,
            asked_for=proposal.person,
            vectors=pack(vectors),
        )
        return told, _try(before, told)

    def _correction(self, proposal: Proposal, request: Request) -> tuple[str, Correction]:
        x, codec, path, final = proposal.problem, self._codec, None, None
        if request.path is not None:
            given = _sequence(request.path, "path")
            path = [codec.solution(x, codec.plain(z), proposal.solution) for z in given]
        if request.solution is not None:
            final = codec.solution(x, codec.plain(request.solution), proposal.solution)
        try:
            done = correction(
                self._domain,
                x,
                proposal.solution,
                moves=None if request.moves is None else _sequence(request.moves, "moves"),
                path=path,
                solution=final,
                effort=request.effort,
                cut=request.cut,
                costs=self._config["costs"],
            )
        except Invalid:
            raise
        except (ValueError, IndexError) as error:  # of the domain, which counts the edits
            raise Invalid(f"The correction cannot be used: {error}") from error
        if request.costs is not None:
            if request.effort is not None or request.solution is not None:
                raise Invalid("Costs are for moves or a path, and replace the effort.")
            done = replace(done, costs=_costs(request.costs), estimated=request.estimated)
        source = "moves" if request.moves is not None else "path" if path is not None else "solution"
        return source, done

    def write(self, log: Writer, told: Told, trial: Trial, actor: str, via: str = "") -> Round:
        """Append a prepared tell; its proposal must be open."""
        if log.projection.knowledge is not trial.before:  # another correction was learned meanwhile
            trial = _try(log.projection.knowledge, told)
        draft = log.projection.drafts[told.proposal]
        before = learner_for(trial.before.learner, told.person).weights
        after = learner_for(trial.after.learner, told.person).weights
        told = replace(
            told,
            version=log.projection.version + told.learn,
            gross=draft.gross or len(told.moves),
            digest=digest(trial.after.learner.weights),
            asked_key=draft.key,
            lesson=self._lesson(told, before, after, trial.after),
        )
        entry = log.add(told, actor=actor, via=via, knowledge=trial.after if told.learn else None)
        return _round(entry, told, after - before)

    def repeated(self, id: int, request: Request, person: str = "") -> Round:
        """The round of a tell that arrives again, for the same `person` if that is given.

        Raises NotFound if there is no such proposal, Conflict if it was told something else.
        """
        entry = self.last(id)
        if entry is None or not isinstance(entry.fact, Told):
            raise NotFound(f"There is no proposal {id} in study {self._ledger.head.name!r}.")
        fact = entry.fact
        if fact.request != request.digest(self._codec) or person not in ("", fact.person):
            raise Conflict(
                f"Proposal {id} was already told by {entry.actor or 'someone'}; reopen it to change that.",
                {"state": "done", "effort": fact.effort, "actor": entry.actor, "version": fact.version},
            )
        return self.round(entry)

    def last(self, id: int) -> Entry | None:
        """The newest tell of a proposal, if there is one."""
        with self._ledger.store.reading() as sql:
            entry = last_told(sql.of_proposal(self._ledger.head.id, id))
            return None if entry is None else next(sql.after(self._ledger.head.id, entry.seq - 1, entry.seq))

    def round(self, entry: Entry) -> Round:
        """The round that a tell in the log was answered with."""
        fact = entry.fact
        if not isinstance(fact, Told):
            raise Invalid(f"Fact {entry.seq} is not a tell.")
        after = self._ledger.weights(fact.version, fact.person)
        before = self._ledger.weights(fact.version - 1, fact.person) if fact.learn else after
        return _round(entry, fact, after - before)

    def _lesson(self, fact: Told, before: Vector, after: Vector, knowledge: Knowledge) -> str:
        learner, names = knowledge.learner, self._config["features"]
        units = learner.prior_deviations() if has(learner, Preferences) else None
        return lesson(
            names, before, after, units, signs=self._signs, learn=fact.learn, accepted=fact.accepted
        )


def _try(knowledge: Knowledge, told: Told) -> Trial:
    """Learn from a tell on a copy. Raises Invalid if the learner rejects it."""
    if not told.learn:
        return Trial(knowledge, knowledge)
    after = knowledge.copy()
    try:
        learn(after, observation(told))
    except Invalid:
        raise
    except (ValueError, IndexError, ArithmeticError) as error:
        raise Invalid(f"The learner cannot use this correction: {error}") from error
    return Trial(knowledge, after)


def _round(entry: Entry, fact: Told, change: Vector) -> Round:
    return Round(
        proposal=fact.proposal,
        effort=fact.effort,
        cost=fact.cost,
        delta=unpack(fact.vectors, fact.cost).delta,
        change=change,
        version=fact.version,
        accepted=fact.accepted,
        estimated=fact.estimated,
        learn=fact.learn,
        lesson=fact.lesson,
        seq=entry.seq,
        time=entry.time,
        actor=entry.actor,
        gross=fact.gross,
        seconds=fact.seconds,
        asked_with=fact.asked_with,
        note=fact.note,
    )


def _sequence(values: Any, what: str) -> list[Any]:
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise Invalid(f"The {what} must be a list; found {short(values)}.")
    return list(values)


def _costs(costs: Any) -> list[float]:
    return [number(cost, "cost of a step", 1e6) for cost in _sequence(costs, "costs")]
