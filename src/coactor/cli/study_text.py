"""What ``coactor study`` prints for people: a study, a fact of its log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

MOST = 30  # weights in a summary


def when(seconds: float) -> str:
    """Format a time (UTC)."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def counted(count: int | float, one: str, many: str = "") -> str:
    """A number and its noun: "1 fact", "2.5 facts"."""
    return f"{count:g} {one if count == 1 else many or one + 's'}"


def summary(about: dict[str, Any]) -> str:
    """A study in a few lines: what it is, how much was done, what it has learned."""
    told, untouched = about["told"], about["untouched"]
    done = f"{told} done"
    if told:
        done += f" ({untouched} unchanged, {counted(round(about['effort'] / told, 2), 'edit')} per proposal)"
    lines = [
        f"study      {about['name']}",
        f"domain     {_domain(about['domain'])}",
        f"learner    {about['learner']}",
        f"proposals  {about['asked']} asked, {done}, {about['open']} open",
        f"log        {counted(about['facts'], 'fact')}, version {about['version']} of the weights",
        f"hash       {about['hash']}",
    ]
    rows = sorted(zip(about["features"], about["weights"], strict=True), key=lambda row: -abs(row[1]))
    width = max(len(name) for name, _ in rows[:MOST])
    lines.append("weights    the largest first" + (f", {MOST} of {len(rows)}" if len(rows) > MOST else ""))
    return "\n".join([*lines, *(f"  {name:<{width}}  {weight:>10.4g}" for name, weight in rows[:MOST])])


def _domain(domain: dict[str, Any]) -> str:
    """The name of a domain and its parameters, without lists and tables."""
    parameters = domain["parameters"].items()
    plain = ", ".join(f"{key} {value}" for key, value in parameters if isinstance(value, int | float | str))
    name = domain["name"] or domain["type"]
    return f"{name} ({plain})" if plain else str(name)


def fact_line(fact: dict[str, Any]) -> str:
    """A fact of the log in one line."""
    about = f" proposal {fact['proposal']}" if "proposal" in fact else ""
    shown = ("effort", "learn", "version", "to", "reason", "note", "action")
    values = {k: fact[k] for k in shown if fact.get(k)} | fact.get("settings", {})
    more = ", ".join(f"{key} {value}" for key, value in values.items())
    who = fact["actor"] or "-"
    return f"{fact['seq']:>6}  {when(fact['time'])}  {who}  {fact['kind']}{about}  {more}".rstrip()
