"""What the examples for operators promise: the proxy names the client, the container may do little."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def test_wrong_credentials_are_counted_for_the_client_that_the_proxy_names(server):
    """A request from loopback is the proxy's, which says who sent it."""
    bad = server.client(Authorization="Bearer coactor_nobody_nothing")
    sent = [bad.get("/api/me", headers={"X-Forwarded-For": "203.0.113.7"}).status_code for _ in range(11)]
    assert sent == [401] * 10 + [429]
    assert bad.get("/api/me", headers={"X-Forwarded-For": "203.0.113.8"}).status_code == 401


def test_nginx_example_says_itself_who_the_client_is():
    """What a client sends in this header, and a header that adds to it, would evade the throttle."""
    text = (ROOT / "docs/howto/deploy.md").read_text("utf-8")
    forwarded = re.findall(r"proxy_set_header\s+X-Forwarded-For\s+(\S+);", text)
    assert forwarded == ["$remote_addr"]


def test_container_has_no_right_that_the_service_does_not_need():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    service = services["coactor"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["tmpfs"] == ["/tmp"]
    assert not {"cap_add", "privileged", "user", "network_mode"} & service.keys()
    for one in services.values():
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert one["mem_limit"]
        assert all(port.startswith("127.0.0.1:") for port in one.get("ports", []))
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    assert lines.index("USER coactor") < lines.index('ENTRYPOINT ["coactor"]')


def test_image_has_wheels_by_hash_in_the_versions_of_the_tests():
    text = (ROOT / "requirements-image.txt").read_text("utf-8")
    hashed = re.findall(
        r"^([\w.-]+)==(\S+)(?: ;[^\n]*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", text, re.M
    )
    assert len(hashed) == text.count("==")  # every one of them has a hash
    images = {canonicalize_name(name): version for name, version, _ in hashed}
    pins = dict(
        line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").split("\n") if "==" in line
    )
    assert images.items() <= {canonicalize_name(name): version for name, version in pins.items()}.items()
    assert images.keys() >= needed("coactor", {"serve", "postgres"})
    lines = (ROOT / "Dockerfile").read_text("utf-8")
    assert "--require-hashes -r requirements-image.txt" in lines
    assert re.findall(r"^FROM (\S+)", lines, re.M) == ["${PYTHON}"] * 2


def needed(name: str, extras: set[str]) -> set[str]:
    """The names of what a distribution needs on Linux, directly."""
    found = set[str]()
    for line in requires(name) or ():
        one = Requirement(line)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
            same = canonicalize_name(one.name) == name
            found |= needed(name, one.extras) if same else {canonicalize_name(one.name)}
    return found
