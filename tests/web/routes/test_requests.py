from __future__ import annotations

import pytest
from pydantic import ValidationError

from coactor.web.routes.requests import AskBody, EditBody, StudyBody, TellBody

MANY = {f"key{number}": 1 for number in range(100_000)}
STUDY = {"name": "s", "domain": {"name": "tour"}}


@pytest.mark.parametrize(
    ("body", "data"),
    [
        (AskBody, {"problem": 1, **MANY}),
        (EditBody, {"moves": [{"op": "x", "args": [1], **MANY}]}),
        (EditBody, {"moves": [{"op": 1, "args": None}] * 10_000}),
        (EditBody, {"moves": [{"op": "x", "args": ["y"] * 10_000}]}),
        (TellBody, {"moves": [{}] * 10_000}),
        (StudyBody, {**STUDY, "costs": MANY}),
        (StudyBody, {**STUDY, "domain": {"name": "tour", "parameters": MANY}}),
    ],
)
def test_body_stops_at_its_first_errors(body, data):
    """Collecting an error for each key or item would keep the event loop busy for seconds."""
    with pytest.raises(ValidationError) as caught:
        body.model_validate(data)
    assert caught.value.error_count() <= 3
