from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pytest

from coactor.domains import Tour
from coactor.studies import Store, open_study, opening
from coactor.web.demo import studies


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of the demo studies, with fixed problems, which each test copies."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch, Store(f"sqlite:///{folder}/desk.db") as store:
        patch.setattr(opening, "uuid", SimpleNamespace(uuid4=lambda: UUID(int=2015 << 100)))
        studies.create_demo_studies(store)
    return folder


@pytest.fixture
def demo_store(demo_folder: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(demo_folder, tmp_path, dirs_exist_ok=True)
    with Store(f"sqlite:///{tmp_path}/desk.db") as store:
        yield store


@pytest.mark.parametrize("name", list(studies.DEMOS))
def test_effort_falls_when_the_colleague_corrects(demo_store, name):
    studies.create_demo_studies(demo_store)  # a second time adds nothing
    with open_study(demo_store, name) as study:
        assert study.summary()["asked"] == 1
        done = studies.play(study, 20, "admin")
        assert [o.work.actor for o in done] == [studies.ACTOR] * 20
        assert sum(o.effort for o in done[10:]) <= sum(o.effort for o in done[:10])
        assert studies.fill(study, "admin") == studies.fill(study, "admin") == 1  # one waits, not two
    with open_study(demo_store, name) as again:
        np.testing.assert_array_equal(studies.taste(again), studies.taste(study))


def test_study_of_another_domain_is_not_a_demo(store):
    with open_study(store, "try-tour", Tour(5, 2), "CSPER", create=True) as study:
        assert studies.demo_of(study) is None
