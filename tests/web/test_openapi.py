"""The OpenAPI description, tested with schemathesis: no request gives a 500."""

from __future__ import annotations

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

EXAMPLES = 12
CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]


def references(data):
    """Every reference in a description."""
    if isinstance(data, dict):
        yield from [data["$ref"]] if isinstance(data.get("$ref"), str) else []
        data = list(data.values())
    if isinstance(data, list):
        for part in data:
            yield from references(part)


def test_generators_can_read_the_description(shared_server):
    description = shared_server.client("admin").get("/api/openapi.json").json()
    schemas = description["components"]["schemas"]
    for schema in schemas.values():
        jsonschema_rs.meta.validate(schema)
    assert {r.rpartition("/")[2] for r in references(description)} <= {*schemas}
    assert all(r.startswith("#/components/schemas/") for r in references(description))
    operations = [(path, one) for path, each in description["paths"].items() for one in each.values()]
    names = [operation["operationId"] for _, operation in operations]
    assert len({*names}) == len(names)
    assert all(name.isidentifier() for name in names)  # they become the names of functions
    assert {"ask", "tell", "me"} <= {*names}
    assert description["security"] == [{"token": []}, {"session": []}]
    assert {path for path, one in operations if one.get("security") == []} == {"/health", "/ready"}
    assert {"token", "session"} == {*description["components"]["securitySchemes"]}


@pytest.fixture
def api(server):
    admin = server.client("admin")
    for number in range(3):
        admin.post("/api/studies/tours/proposals", json={"problem": server.problem(number)})
    admin.post("/api/studies/tours/proposals/1/tell", json={"moves": []})
    schema = schemathesis.openapi.from_dict(admin.get("/api/openapi.json").json())
    schema.config.update(base_url=server.address, request_timeout=60.0)
    return schema, {"Authorization": admin.headers["Authorization"]}


def call(operation, token):
    """Send what the description allows, and some that it does not; the answers' codes."""
    codes = set()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def run(case):
        if case.path_parameters and "study" in case.path_parameters:
            case.path_parameters["study"] = "tours"  # most would be a 404; the study is there
        answer = case.call(headers=token)
        codes.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    run()
    return codes


def test_no_request_gives_a_server_error(api):
    schema, token = api
    operations = [result.ok() for result in schema.get_all_operations()]
    operations.sort(key=lambda operation: operation.label == "DELETE /api/studies/{study}")  # the last one
    codes = {operation.label: call(operation, token) for operation in operations}
    assert len(codes) > 20
    assert not any(401 in each for each in codes.values())  # it came in, so it was really tried
    assert sum(any(code < 300 for code in each) for each in codes.values()) > 12
    assert sum(422 in each for each in codes.values()) > 6
