"""From what a caller reports to a fact and new knowledge.

`Teller.prepare` runs outside the store's lock: it validates the request, computes the vectors and updates a
copy of the knowledge. `Teller.write` runs under the lock and repeats the update only if the weights have
changed in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coactor.corrections import correction, plain_move
from coactor.keeping import kept_parts, plain_parts
from coactor.protocol import Correction, Feedback, Move, Proposal, Round, Work
from coactor.rounds import Knowledge, Observation, conclude, known_of, learn, observe
from coactor.studies.codec import Codec, as_invalid
from coactor.studies.drafts import Draft
from coactor.studies.errors import Conflict, Invalid, NotFound
from coactor.studies.log.chain import Entry, canonical, content_hash
from coactor.studies.log.facts import Told
from coactor.studies.log.ledger import Writer
from coactor.studies.log.vectors import digest, pack, pack_weights, unpack
from coactor.studies.proposing import Proposer
from coactor.validation import checked_type, listed, number


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A tell as the caller sent it; solutions are objects of the domain or JSON-able data.

    `version` is that of the weights of the corrected solution, and `revision` that of the draft that was
    submitted, which identifies its moves. An `unsure` correction counts half, see `Feedback`.
    """

    moves: Any = None
    path: Any = None
    solution: Any = None
    costs: Any = None
    effort: Any = None
    estimated: Any = False
    replans: Sequence[int] = ()
    cut: Any = False
    learn: Any = True
    unsure: Any = False
    learned_for: str = ""
    work: Work = field(default_factory=Work)
    version: int | None = None
    revision: int | None = None

    def digest(self, codec: Codec) -> str:
        """Equal for equal requests, so that a repetition can be recognised; the active time may differ."""
        by_hand = self.moves is not None and self.revision is None
        parts: list[Any] = [
            codec.plain_moves(map(plain_move, listed(self.moves, "moves"))) if by_hand else None,
            None if self.path is None else [codec.plain(z) for z in listed(self.path, "path")],
            None if self.solution is None else codec.plain(self.solution),
            None if self.effort is None else number(self.effort, "effort", 1e6),
            self.learn,
            self.work.note,
            self.cut,
            self.revision,
        ]
        if self.costs is not None:
            parts += [_costs(self.costs), self.estimated, list(self.replans)]
        if self.unsure:
            parts += ["unsure"]
        return content_hash(canonical(parts))[:24]


@dataclass(frozen=True, slots=True)
class Trial:
    """A tell that is not written yet: what was learned from it, on what was known before."""

    proposal: Proposal
    correction: Correction
    observation: Observation
    packed: bytes
    request: Request
    before: Knowledge
    after: Knowledge


class Teller:
    """Makes facts of corrections, and rounds of facts.

    Parameters
    ----------
    proposer
        Knows the domain, the log, and the weights that a proposal was made with.
    """

    def __init__(self, proposer: Proposer) -> None:
        self._domain, self._codec, self._ledger = proposer.domain, proposer.codec, proposer.ledger
        self.proposer = proposer

    def prepare(
        self, proposal: Proposal, request: Request, learned_for: str, done: Correction | None = None
    ) -> Trial:
        """Validate a tell and learn from it on trial. Nothing is written, and no solver is called.

        `done` is the correction, if it is known already. Raises Invalid if the request is invalid, or if the
        domain or the learner rejects it.
        """
        for name in ("learn", "unsure", "cut", "estimated"):
            checked_type(getattr(request, name), bool, repr(name))
        if request.work.seconds is not None:
            seconds = number(request.work.seconds, "seconds", 1e9)
            request = replace(request, work=replace(request.work, seconds=seconds))
        done = done or self.correction(proposal, request)
        with self._ledger.lock:
            before = self._ledger.projection.knowledge
        candidate = self._ledger.projection.config["candidate"]
        weights = self.proposer.weights(proposal) if candidate == "disagreement" else None
        observed = observe(
            self._domain, proposal, done, before.learner.reads, candidate, weights, learned_for
        )
        vectors = replace(observed.feedback, unsure=request.unsure)
        if not request.learn:  # the ends say what changed; nothing will be learned from the rest
            vectors = Feedback(vectors.path[[0, -1]], vectors.cost, None, vectors.cut)
            observed = replace(observed, case=None)
        packed = pack(vectors)
        # What is learned now is what a replay will learn, to the last bit.
        read, _ = unpack(packed + bytes(8 * self._domain.dim), vectors.cost, learned_for, done.estimated)
        observed = replace(observed, feedback=read)
        after = _learned(before, observed, request)
        return Trial(proposal, done, observed, packed, request, before, after)

    def correction(self, proposal: Proposal, request: Request) -> Correction:
        """The correction that a request describes. Raises Invalid if it is invalid."""
        x, codec, path, final = proposal.problem, self._codec, None, None
        if request.path is not None:
            given = listed(request.path, "path")
            path = [codec.solution(x, codec.plain(z), proposal.solution) for z in given]
        if request.solution is not None:
            final = codec.solution(x, codec.plain(request.solution), proposal.solution)
        # An IndexError is the domain's, which counts the edits.
        with as_invalid("The correction cannot be used", IndexError):
            done = correction(
                self._domain,
                x,
                proposal.solution,
                moves=self._moves(proposal, request),
                path=path,
                solution=final,
                effort=request.effort,
                cut=request.cut,
                costs=self._ledger.projection.config["costs"],
            )
        done = replace(done, replans=done.replans or request.replans)
        if request.costs is not None:
            if request.effort is not None or request.solution is not None:
                raise Invalid("Costs are for moves or a path, and replace the effort.")
            done = replace(done, costs=_costs(request.costs), estimated=request.estimated)
        return done

    def _moves(self, proposal: Proposal, request: Request) -> list[Move] | None:
        if request.moves is None:
            return None
        moves = map(plain_move, listed(request.moves, "moves"))
        return self._codec.moves(proposal.problem, moves, proposal.solution)

    def write(self, log: Writer, trial: Trial, actor: str, via: str = "") -> Round:
        """Append a prepared tell; its proposal must be open."""
        observed, request, now = trial.observation, trial.request, log.projection.knowledge
        if now is not trial.before:  # another correction was learned meanwhile
            trial = replace(trial, before=now, after=_learned(now, observed, request))
        draft = log.projection.drafts[trial.proposal.id]
        gestures = request.work.gestures or draft.gestures or len(trial.correction.costs)
        told = conclude(
            self._domain,
            trial.proposal,
            trial.correction,
            observed,
            _worked(request, draft, actor, gestures),
            before=known_of(trial.before.learner, observed.feedback.learned_for),
            after=trial.after.learner,
            version=log.projection.version + request.learn,
            learn=request.learn,
            key=draft.key,
        )
        fact = Told(
            solution=self._codec.plain_solution(trial.correction.final),
            moves=self._codec.plain_moves(trial.correction.moves),
            cut=trial.correction.cut,
            round=told,
            solved_for=trial.proposal.solved_for,
            request=request.digest(self._codec),
            digest=digest(trial.after.learner.weights),
            case=observed.case,
            left=None if observed.left is None else dict(observed.left),
            keep=plain_parts(kept_parts(draft.moves, draft.keep)),
            vectors=trial.packed + pack_weights(told.change),
        )
        entry = log.add(fact, actor=actor, via=via, knowledge=trial.after if request.learn else None)
        return round_of(entry, fact)

    def repeated(self, id: int, request: Request, actor: str) -> Round:
        """The round of a tell that arrives again.

        Raises NotFound if there is no such proposal, Conflict if it was told something else, for another
        expert, or submitted by another one.
        """
        entry = self.last(id)
        if entry is None or not isinstance(entry.fact, Told):
            raise NotFound(f"There is no proposal {id} in study {self._ledger.head.name!r}.")
        fact, told = entry.fact, entry.fact.round
        same = fact.request == request.digest(self._codec)
        same = same and (request.revision is None or actor == entry.actor)
        if not same or request.learned_for not in ("", told.learned_for):
            raise Conflict(
                f"Proposal {id} was already told by {entry.actor or 'someone'}; reopen it to change that.",
                {"state": "done", "effort": told.effort, "actor": entry.actor, "version": told.version},
            )
        return round_of(entry, fact)

    def last(self, id: int) -> Entry | None:
        """The newest tell of a proposal, if there is one."""
        with self._ledger.store.reading() as sql:
            entry = last_told(sql.of_proposal(self._ledger.head.id, id))
            return None if entry is None else next(sql.after(self._ledger.head.id, entry.seq - 1, entry.seq))


def last_told(entries: list[Entry]) -> Entry | None:
    """The newest tell among the facts about a proposal."""
    return next((entry for entry in reversed(entries) if isinstance(entry.fact, Told)), None)


def round_of(entry: Entry, fact: Told) -> Round:
    """The round that a tell was answered with; its vectors are empty if the entry was read without them."""
    told = replace(fact.round, seq=entry.seq, time=entry.time)
    if fact.vectors:
        vectors, change = unpack(fact.vectors, told.cost)
        told = replace(told, delta=vectors.delta, change=change)
    return told


def _learned(before: Knowledge, observed: Observation, request: Request) -> Knowledge:
    """What is known after a tell, in a copy. Raises Invalid if the learner rejects it."""
    if not request.learn:
        return before
    after = before.copy()
    with as_invalid("The learner cannot use this correction", IndexError, ArithmeticError):
        learn(after, observed)
    return after


def _worked(request: Request, draft: Draft, actor: str, gestures: int) -> Work:
    """The work of all who had the proposal open; a tell of another solution is the actor's alone."""
    work = request.work
    seconds = None if work.seconds is None and not draft.seconds else (work.seconds or 0.0) + draft.seconds
    shared = request.revision is not None and bool(set(work.authors) - {actor})
    authors = work.authors if shared else []
    return replace(work, actor=actor, gestures=gestures, seconds=seconds, authors=authors)


def _costs(costs: Any) -> list[float]:
    return [number(cost, "cost of a step", 1e6) for cost in listed(costs, "costs")]
