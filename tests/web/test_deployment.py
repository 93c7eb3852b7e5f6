"""What the examples for operators promise: the proxy names the client, the container may do little."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

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
