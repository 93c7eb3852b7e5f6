"""Stores and exports that a release wrote open with every later version.

`data/0.1.0.db` and `data/0.1.0.jsonl` are one study as release 0.1.0 wrote it. Do not write them again.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

from coactor.studies import Store, open_study
from coactor.studies.log import transfer
from coactor.studies.log.facts import finished
from coactor.studies.log.verification import verify

DATA = Path(__file__).parent / "data"
WEIGHTS = json.loads((DATA / "0.1.0.json").read_text(encoding="utf-8"))


def test_store_of_0_1_0_opens_and_goes_on(tmp_path: Path) -> None:
    shutil.copy(DATA / "0.1.0.db", tmp_path / "desk.db")
    with Store(f"sqlite:///{tmp_path}/desk.db") as store:
        before = verify(store, "depot")
        with open_study(store, "depot") as study:
            rows = [row._replace(unlearned=None) for row in study.finished()]
            assert rows == [finished(row) for row in study.effort()]
            assert len(rows) == 7
            for name, weights in WEIGHTS.items():
                np.testing.assert_allclose(study.weights(learned_for=name), weights, rtol=1e-9)
            (waiting,) = study.proposals("draft")
            desk = study.desk()
            draft = desk.claim(waiting.id, "ana")
            assert draft.locked
            assert draft.moves
            desk.submit(waiting.id, revision=draft.revision, actor="ana")
        assert verify(store, "depot").version == before.version + 1


def test_export_of_0_1_0_is_imported(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/new.db") as store:
        lines = (DATA / "0.1.0.jsonl").read_text(encoding="utf-8").splitlines()
        transfer.load(store, map(json.loads, lines))
        assert verify(store, "depot").facts == json.loads(lines[0])["facts"]
        with open_study(store, "depot") as study:
            for name, weights in WEIGHTS.items():
                np.testing.assert_allclose(study.weights(learned_for=name), weights, rtol=1e-9)
