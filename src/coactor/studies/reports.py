"""What can be read about a study; nothing here changes anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from coactor import records
from coactor.explanations import Belief, PeopleView, beliefs, compare_people
from coactor.explanations.words import without_unit
from coactor.keeping import move_text
from coactor.proposals.calibration import Calibration, calibration
from coactor.proposals.outcomes import CONTROL
from coactor.protocol import (
    Basis,
    Learner,
    Problem,
    Proposal,
    Round,
    Solution,
    Vector,
    Work,
    feature_signs,
    learner_for,
)
from coactor.search import features_along
from coactor.studies.drafts import Draft, state_of
from coactor.studies.errors import Invalid, NotFound, Tampered
from coactor.studies.log.chain import Entry, content_hash
from coactor.studies.log.facts import Finished, Reopened, RolledBack, Said, Told, recorded_digest
from coactor.studies.log.projection import Projection
from coactor.studies.log.transactions import END, Transaction
from coactor.studies.queue import STATES, QueueQuery, done_draft, people_of
from coactor.studies.report import EARLIEST, LAST, RECENT, Report, causes, report
from coactor.studies.results import ExplainedEdit, Explanation, QueuePage, Share, Version
from coactor.studies.settings import CHANGEABLE
from coactor.studies.telling import Teller, round_of
from coactor.validation import proposal_number, text

ADVISED = 52  # finished proposals that a domain's advice is about, at most: of a year of weeks


class Reports:
    """The methods of a study that only read.

    Parameters
    ----------
    name
        The study's name.
    teller
        Knows the study's domain, log, proposals and rounds.
    """

    def __init__(self, name: str, teller: Teller) -> None:
        self.name = name
        self._teller, self._proposer = teller, teller.proposer
        self.domain, self._ledger = self._proposer.domain, self._proposer.ledger

    @property
    def config(self) -> dict[str, Any]:
        """The domain, the learner, the names of the features, and the settings as they are now."""
        return self._ledger.projection.config

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that can be changed, as they are now."""
        return {name: self.config[name] for name in CHANGEABLE}

    @property
    def signs(self) -> list[int]:
        """1 for each feature that is counted as it is, -1 for each cost."""
        return feature_signs(self.domain)

    @property
    def solve_seconds(self) -> float:
        """Seconds of the last solving in this process; infinity before the first."""
        return self._proposer.seconds

    # -- efforts and weights -----------------------------------------------------------------------------

    def effort(self, after: int = 0, limit: int = END, *, newest: bool = False) -> list[Round]:
        """What each finished proposal cost, in the order of the tells; those with `seq` above `after`.

        Of more than `limit` the first ones, or the `newest`. A tell that was withdrawn is left out.
        """
        with self._ledger.store.reading() as sql:
            bodies = sql.finished_bodies(self._ledger.head.id, after, limit, newest)
        return [plain_round(orjson.loads(body)) for body in bodies]

    def finished(self, limit: int = END, *, newest: bool = False) -> list[Finished]:
        """The same in a few numbers each; faster, because it does not read the log."""
        with self._ledger.store.reading() as sql:
            return sql.finished(self._ledger.head.id, limit, newest)

    def _window(self) -> tuple[list[Finished], list[Finished] | None]:
        """The newest finished proposals, and the first ones if these are not all: what a report reads."""
        told = self._ledger.refresh().told
        left_out = (told // RECENT - 1) * RECENT
        if left_out <= 0:
            return self.finished(), None
        return self.finished(told - left_out, newest=True), self.finished(EARLIEST)

    def totals(self, since: float = -1e12, last: int = END) -> dict[str, float]:
        """Of the last finished proposals, those since a time: how many, how many unchanged, their effort."""
        with self._ledger.store.reading() as sql:
            return sql.totals(self._ledger.head.id, since, last)

    @property
    def efforts(self) -> list[float]:
        """The expert's total effort for each finished proposal, in the order of the tells."""
        return [row.effort for row in self.finished()]

    def report(self, *, people: bool = True) -> Report:
        """Whether there is less to correct, what learning saves, by week and by person.

        `people` says whether to name who finished how many.
        """
        rows, start = self._window()
        edited = [row for row in rows[-LAST:] if row.effort > 0 and row.proposer != CONTROL]
        deltas = np.array([one.delta for one in self._rounds(edited)])
        why = causes(self.config["features"], self.signs, self.weights(), deltas)
        result = report(rows, start=start, control=self.config["control"], causes=why, people=people)
        if hasattr(self.domain, "advice"):
            finals = [self._final(row) for row in rows[-ADVISED:]]
            result = replace(result, notes=[*result.notes, *self.domain.advice(finals, "proposals")])
        return result

    def _final(self, row: Finished) -> tuple[Problem, Solution]:
        """The problem and the final solution of a finished proposal."""
        proposal, told = self._proposer.find(row.proposal), self._teller.last(row.proposal)
        if told is None or not isinstance(told.fact, Told):
            raise NotFound(f"Proposal {row.proposal} is not finished.")
        x = proposal.problem
        return x, self._proposer.codec.solution(x, told.fact.solution, proposal.solution)

    def _rounds(self, rows: Sequence[Finished]) -> list[Round]:
        """The rounds of some finished proposals, with their vectors."""
        with self._ledger.store.reading() as sql:
            entries = [
                entry for row in rows for entry in sql.after(self._ledger.head.id, row.seq - 1, row.seq)
            ]
        return [round_of(entry, entry.fact) for entry in entries if isinstance(entry.fact, Told)]

    def calibration(self) -> Calibration:
        """Whether proposals were accepted as often as predicted; the newest ones, as in the report."""
        rows, _ = self._window()
        return calibration([row.chance for row in rows], [row.effort == 0 for row in rows])

    def weights(self, version: int | None = None, *, learned_for: str = "") -> Vector:
        """The current weights, or those of an earlier version; of one expert, or of all.

        Raises NotFound if there is no such version.
        """
        return self._ledger.weights(version, text(learned_for, "expert", 100))

    def beliefs(self, version: int | None = None, *, learned_for: str = "") -> list[Belief]:
        """What is known about each feature now or at an earlier version: of one expert, or of all."""
        learner = learner_for(self.learner(version), text(learned_for, "expert", 100))
        newest = self.version if version is None else version
        with self._ledger.store.reading() as sql:
            edited = sql.edited(self._ledger.head.id, newest, learned_for, LAST)
        return beliefs(self.config["features"], self.signs, learner, self._rounds(edited))

    to_frame, plot, _repr_html_ = records.to_frame, records.plot, records.html

    def weights_of(self, draft: Draft, reader: str | None = None) -> Vector:
        """The weights that the proposal of a draft was made with.

        A `reader` who may see no other expert's gets those of all in place of them.
        """
        return self._proposer.weights(self._proposer.of(draft), reader)

    def people(self, *, hide: bool = False, reader: str = "") -> PeopleView:
        """What people share, how they differ and who goes together; `hide` leaves out names."""
        return compare_people(self.config["features"], self.signs, self.learner(), hide, reader)

    @property
    def version(self) -> int:
        """The version of the weights: how often they were changed."""
        return self._ledger.refresh().version

    def versions(self, after: int = -1, limit: int = 1000) -> list[Version]:
        """The versions of the weights numbered above `after`, and what created them."""
        with self._ledger.store.reading() as sql:
            entries = sql.of_versions(self._ledger.head.id, after, limit)
            return [version_row(entry) for entry in entries]

    def learner(self, version: int | None = None) -> Learner:
        """A copy of the learner as it is now, or as it was at an earlier version."""
        return self._ledger.knowledge(version).copy().learner

    def summary(self) -> dict[str, Any]:
        """The study in a few numbers, as JSON-able data."""
        with self._ledger.lock:
            projection = self._ledger.refresh()
            return {
                "name": self.name,
                **projection.totals(),
                "learner": self.config["learner"],
                "domain": self.config["domain"],
                "feature_names": self.config["features"],
                "signs": self.signs,
                **self.settings,
            }

    # -- proposals ---------------------------------------------------------------------------------------

    def proposals(self, state: str | None = None, after: int = 0, limit: int = 100) -> list[Draft]:
        """Proposals by number, from the one after `after` on: all of them, or those in one state.

        Raises Invalid if there is no such state.
        """
        if state is not None and state not in STATES:
            raise Invalid(f"There is no state {state!r}; the states are {', '.join(STATES)}.")
        with self._ledger.lock, self._ledger.store.reading() as sql:
            projection = self._ledger.refresh_in(sql)
            if state is None or state == "done":
                return self._all(sql, projection, state, after, limit)
            drafts = [projection.drafts[id] for id in sorted(projection.drafts) if id > after]
            rows = [self._row(projection, draft) for draft in drafts]
        return [row for row in rows if state in ("open", row.state)][:limit]

    def queue(
        self, query: QueueQuery | None = None, *, offset: int = 0, limit: int = 50, since: str = ""
    ) -> QueuePage | None:
        """A page of the unfinished proposals; None if it is still the one with tag `since`."""
        query = query or QueueQuery()
        with self._ledger.lock:
            projection, now = self._ledger.refresh(), self._ledger.clock()
            counts = Counter(state_of(draft, now) for draft in projection.drafts.values())
            # Leases expire without a fact; another query or page is another answer.
            asked = content_hash(repr((query, offset, limit)).encode())[:12]
            tag = f"{projection.seq}-{counts['held']}-{asked}"
            if tag == since:
                return None
            matching = query.select(projection.drafts.values(), now)
            rows = [self._row(projection, draft) for draft in matching[offset : offset + limit]]
            people = sorted({name for draft in projection.drafts.values() for name in people_of(draft)})
        return QueuePage(tag, counts["waiting"], counts["draft"], counts["held"], len(matching), rows, people)

    def _all(
        self, sql: Transaction, projection: Projection, state: str | None, after: int, limit: int
    ) -> list[Draft]:
        rows: list[Draft] = []
        while len(rows) < limit and after < projection.asked:
            first, after = after + 1, min(projection.asked, after + max(limit, 50))
            entries: dict[int, list[Entry]] = {}
            for entry in sql.of_proposals(self._ledger.head.id, first, after):
                entries.setdefault(entry.proposal or 0, []).append(entry)
            for id in range(first, after + 1):
                draft = projection.drafts.get(id)
                if draft is None:
                    rows.append(done_draft(entries[id]))
                elif state is None:
                    rows.append(self._row(projection, draft))
        return rows[:limit]

    def _row(self, projection: Projection, draft: Draft) -> Draft:
        now = self._ledger.clock()
        return draft.at(now, self.config["costs"], self._proposer.due(projection, draft, now))

    def draft(self, proposal: Proposal | int) -> Draft:
        """Where one proposal stands. Raises NotFound if there is no such proposal."""
        id = proposal_number(proposal)
        with self._ledger.lock, self._ledger.store.reading() as sql:
            projection = self._ledger.refresh_in(sql)
            draft = projection.drafts.get(id)
            if draft is not None:
                return self._row(projection, draft)
            entries = sql.of_proposal(self._ledger.head.id, id)
        if not entries:
            raise NotFound(f"There is no proposal {id} in study {self.name!r}.")
        return done_draft(entries)

    def proposal(self, id: int) -> Proposal:
        """A proposal as it is edited now, or as it was when it was told."""
        return self._proposer.find(proposal_number(id))

    def path(self, draft: Draft) -> list[Solution]:
        """Every solution from the proposal of a draft at a desk along its moves."""
        return self._proposer.path(self._proposer.of(draft), draft.moves)

    def round(self, proposal: Proposal | int) -> Round:
        """The round of a finished proposal. Raises Invalid if it is not finished."""
        return round_of(*self._finished(proposal_number(proposal)))

    def _finished(self, id: int) -> tuple[Entry, Told]:
        entry = self._teller.last(id) if self.draft(id).state == "done" else None
        if entry is None or not isinstance(entry.fact, Told):
            raise Invalid(f"Proposal {id} is not finished; there is nothing to report.")
        return entry, entry.fact

    def explain(self, proposal: Proposal | int, reader: str | None = None) -> Explanation:
        """Each feature's share of the proposal's utility and of each edit's, under `weights_of` it."""
        shown = self._proposer.find(proposal_number(proposal))
        moves = self.draft(shown.id).moves
        path = self._proposer.path(shown, moves)
        w = self._proposer.weights(shown, reader)
        rows = features_along(self.domain, shown.problem, path)
        edits = [
            ExplainedEdit(
                move={**move},
                text=move_text(self.domain, shown.problem, y, z, move),
                gain=float(w @ step),
                shares=self._shares(w, step),
            )
            for move, (y, z), step in zip(moves, pairwise(path), np.diff(rows, axis=0), strict=True)
        ]
        return Explanation(shown.id, shown.version, float(w @ rows[0]), self._shares(w, rows[0]), edits)

    def _shares(self, w: Vector, phi: Vector) -> list[Share]:
        return [
            Share(name, float(weight), float(value), float(weight * value))
            for name, weight, value in zip(self.config["features"], w, phi, strict=True)
        ]


def plain_round(fact: dict[str, Any]) -> Round:
    """The round in the body of a tell; faster than reading the whole fact with its checks.

    Raises Tampered if it is not one.
    """
    try:
        told = fact["round"]
        about = {"basis": Basis(**told["basis"]), "work": Work(**told["work"])}
        return Round(**{**told, **about, "seq": fact["seq"], "time": fact["time"]})
    except (KeyError, TypeError) as error:
        raise Tampered(f"A fact cannot be read ({error}); restore the store from a backup.") from error


def version_row(entry: Entry) -> Version:
    """The version that a fact created."""
    fact, learned_for = entry.fact, ""
    to, reason = (fact.to, fact.reason) if isinstance(fact, RolledBack) else (None, "")
    if isinstance(fact, Told):
        learned_for = fact.round.learned_for
    elif isinstance(fact, Said | Reopened | RolledBack):
        learned_for = fact.learned_for
    if isinstance(fact, Said):
        reason = f"{fact.wish} “{without_unit(fact.feature)}”"
    return Version(
        version=entry.made or 0,
        seq=entry.seq,
        time=entry.time,
        actor=entry.actor,
        how=fact.kind,
        proposal=entry.proposal,
        to=to,
        reason=reason,
        digest=recorded_digest(fact),
        learned_for=learned_for,
    )
