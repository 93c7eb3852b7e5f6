"""One damaged study does not stop a server, and does not hide the others."""

from __future__ import annotations

import pytest

from coactor.studies import open_study
from coactor.web.app import create_app
from coactor.web.open_studies import OpenStudies
from tests.studies.stubs import change_row, tours

DAMAGE = {
    "not JSON": "UPDATE coactor_facts SET body = hash WHERE seq = 1",
    "no configuration": """UPDATE coactor_facts SET body = CAST(replace(body, '"config"', '"x"') AS BLOB)""",
    "another type": """UPDATE coactor_facts SET body = CAST(replace(body, '"dim":3', '"dim":"3"') AS BLOB)""",
    "no facts": "DELETE FROM coactor_facts",
    "another kind": "UPDATE coactor_facts SET body = (SELECT body FROM coactor_facts WHERE seq = 2)",
    "a later fact": "UPDATE coactor_facts SET body = hash WHERE seq = 2",
}


@pytest.fixture
def sqlite_url(tmp_path):
    return f"sqlite:///{tmp_path}/desk.db"


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_study_does_not_stop_the_server(sqlite_url, damage):
    domain, problems = tours(2)
    with open_study(sqlite_url, "damaged", domain, "PER", create=True) as study:
        study.ask(problems[0])
        change_row(study.store, DAMAGE[damage])
        with open_study(study.store, "healthy", domain, "PER", create=True):
            pass
        studies = OpenStudies(study.store)
        create_app(study.store)
        rows = [studies.summary(name) for name in studies.names()]
        assert [(row["name"], row["usable"]) for row in rows] == [("damaged", False), ("healthy", True)]
        studies.renew_ahead()


def test_a_study_that_is_damaged_while_it_is_open_does_not_hinder_the_background(sqlite_url):
    domain, problems = tours(2)
    with open_study(sqlite_url, "damaged", domain, "PER", create=True) as study:
        open_study(study.store, "healthy", domain, "PER", create=True)
        studies = OpenStudies(study.store)
        for name in studies.names():
            studies.study(name)
        study.ask(problems[0])
        change_row(study.store, DAMAGE["a later fact"])
        studies.renew_ahead()
        assert [studies.summary(name)["usable"] for name in studies.names()] == [False, True]
