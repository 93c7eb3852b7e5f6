"""``coactor study ...``: create, inspect, verify, export and copy studies."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import orjson

from coactor import learners
from coactor.cli import study_create
from coactor.cli.options import NewFile, counted
from coactor.cli.stores import Result, lines, on_new_store, on_store, on_study, when
from coactor.protocol import Wish
from coactor.studies.errors import Invalid, Tampered
from coactor.studies.log import transfer, verification
from coactor.studies.log.chain import outline
from coactor.studies.log.store import Store
from coactor.studies.study import Study

LEFT_IN_FILE = (
    " The file of the store still holds it, because another program reads the store: "
    "end that program, or wait until a server has removed it."
)
MOST = 30  # weights in a summary


@click.group()
def study() -> None:
    """Create, inspect, verify, export and copy studies."""


study.add_command(study_create.create)
study.add_command(study_create.extend)
study.add_command(study_create.configure)


@study.command("list")
@on_store
def list_(store: Store) -> Result:
    """List the studies in the store."""
    with store.reading() as sql:
        rows = [{"name": head.name, "facts": head.seq, "hash": head.hash.hex()} for head in sql.studies()]
    return lines(rows, lambda row: f"{row['name']}  {counted(row['facts'], 'fact')}")


@study.command("show")
@click.argument("name")
@on_store
def show_(store: Store, name: str) -> Result:
    """Show a study: domain, learner, totals and weights."""
    about = study_create.about(store, name)
    return about, summary(about)


def summary(about: dict[str, Any]) -> str:
    """A study in a few lines: what it is, how much was done, what it has learned."""
    told, untouched = about["told"], about["untouched"]
    done = f"{told} done"
    if told:
        done += f" ({untouched} unchanged, {counted(round(about['effort'] / told, 2), 'edit')} per proposal)"
    lines = [
        f"study      {about['name']}",
        f"domain     {_domain(about['domain'])}",
        f"learner    {learners.spoken(about['learner'], len(about['weights']))}",
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


@study.command("log")
@click.argument("name")
@click.option("--after", type=click.IntRange(0), default=0, help="Only facts after this number.")
@click.option("--limit", type=click.IntRange(1), default=1000, help="At most so many.")
@on_store
def log_(store: Store, name: str, after: int, limit: int) -> Result:
    """List the facts of the log."""
    with store.reading() as sql:
        facts = [outline(body) for body in sql.bodies(sql.find(name).id, after, limit)]
    return lines(facts, fact_line)


def fact_line(fact: dict[str, Any]) -> str:
    """A fact of the log in one line."""
    who, what, expert = fact["actor"] or "-", fact["kind"], fact.get("learned_for", "")
    if "to" in fact:
        what += f" {expert} to version {fact['to']}" if expert else f" to version {fact['to']}"
    elif "wish" in fact:
        what += f" {fact['wish']} {fact['feature']}"
    elif "proposal" in fact:
        what += f" proposal {fact['proposal']}"
        what += f" for {expert}" if expert not in ("", fact["actor"]) else ""
    shown = ("effort", "learn", "version", "reason", "note", "action")
    values = {k: fact[k] for k in shown if fact.get(k)} | fact.get("settings", {})
    more = ", ".join(f"{key} {value}" for key, value in values.items())
    parts = (" ".join(part.split()) for part in (when(fact["time"]), who, what, more))  # on one line
    return f"{fact['seq']:>6}  {'  '.join(parts)}".rstrip()


@study.command("explain")
@on_study
@click.argument("proposal", type=click.IntRange(1, 2**31 - 1))
def explain_(opened: Study, proposal: int) -> Result:
    """Explain a proposal: the share of each feature in its utility."""
    explanation = opened.explain(proposal)
    return explanation, str(explanation)


@study.command("costs")
@on_study
@click.argument("proposal", type=click.IntRange(1, 2**31 - 1))
def costs_(opened: Study, proposal: int) -> Result:
    """Print what was learned as costs of the day of a PROPOSAL, for VROOM, PyVRP and OR-Tools."""
    from coactor.domains import Plans
    from coactor.solvers import cost_factors

    if not isinstance(opened.domain, Plans):
        raise Invalid(f"Study {opened.name!r} has no plans of vehicles.")
    factors = cost_factors(opened.domain, opened.proposal(proposal).problem, opened.weights())
    return factors, orjson.dumps(factors).decode()


@study.command("rollback")
@on_study
@click.argument("version", type=int)
@click.option("--reason", required=True, help="Why; it is recorded in the log.")
@click.option("--expert", help="Set only this expert back; the others keep what they have shown.")
@click.option("--actor", default="operator", help="Who rolls back.")
def rollback_(opened: Study, version: int, reason: str, expert: str | None, actor: str) -> Result:
    """Set the weights back to an earlier version, as a new version."""
    row = opened.rollback(version, reason, learned_for=expert, actor=actor)
    if expert is not None:
        return row, f"Version {row.version} has {expert} as of version {row.to}, and the others as they were."
    return row, f"Version {row.version} has the weights of version {row.to}."


@study.command("say")
@on_study
@click.argument("feature")
@click.argument("wish", type=click.Choice(["more", "less"]))
@click.option("--expert", required=True, help="Who wants it.")
@click.option("--actor", default="operator", help="Who says it.")
def say_(opened: Study, feature: str, wish: Wish, expert: str, actor: str) -> Result:
    """Say that more or less of a feature is wanted than what is proposed now."""
    version = opened.say(feature, wish, learned_for=expert, actor=actor)
    return {"version": version}, f"Learned as version {version}."


@study.command("report")
@on_study
def report_(opened: Study) -> Result:
    """Say whether there is less to correct, and what learning saves."""
    report = opened.report()
    return report, str(report)


@study.command("people")
@on_study
def people_(opened: Study) -> Result:
    """Show what people share, who goes together and how each of them differs."""
    view = opened.people()
    if len(view.people) < 2:
        return view, "The learner has learned from one expert at most, or does not compare people."
    lines = view.shared or ["Nothing that everybody wants or avoids is known yet."]
    lines += view.together
    for one in view.people:
        lines += one.words or [f"{one.name} does not clearly differ from the others."]
    return view, "\n".join(lines)


@study.command("export")
@click.argument("name")
@click.option("--out", type=NewFile(new=True), help="A new file; standard output by default.")
@on_store
def export_(store: Store, name: str, out: Path | None) -> Result:
    """Export a study as JSON lines."""
    rows = (orjson.dumps(row) + b"\n" for row in transfer.export(store, name))
    if out is None:
        for row in rows:
            click.echo(row, nl=False)
        return None
    first = next(rows)  # raises NotFound before there is a file
    with out.open("xb") as file:
        file.write(first)
        file.writelines(rows)
    return {"name": name, "file": out.name}, f"Wrote {name} to {out.name}."


@study.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.option("--name", help="Name of the imported study; its own by default.")
@click.option("--solver", metavar="MODULE:FUNCTION", help="The solver that the study may call here.")
@on_new_store
def import_(store: Store, file: Path, name: str | None, solver: str | None) -> Result:
    """Import an exported study and check every link of its hash chain."""
    imported = transfer.load(store, transfer.read_lines(file), name, solver=solver)
    return {"name": imported}, f"Imported {imported}."


@study.command("verify")
@click.argument("names", nargs=-1)
@click.option("--hash", "expected", help="The hash that the log must end with, as noted elsewhere.")
@on_store
def verify_(store: Store, names: tuple[str, ...], expected: str | None) -> Result:
    """Replay studies from their first fact and check hashes, weights and snapshots."""
    with store.reading() as sql:
        selected = names or tuple(head.name for head in sql.studies())
    store.check()
    verified, wrong = [], []
    for study_name in selected:
        try:
            verified.append(verification.verify(store, study_name))
        except Tampered as error:
            wrong.append(str(error))
    if wrong:
        good = f" Good: {', '.join(row.name for row in verified)}." if verified else ""
        raise Tampered(" ".join(wrong) + good)
    if expected is not None and [row.hash for row in verified] != [expected]:
        raise Tampered("The log does not end with that hash; it is not the log that was noted.")
    return lines(
        verified,
        lambda row: (
            f"{row.name}: {counted(row.facts, 'fact')}, version {row.version}, hash {row.hash}: good"
            + (f", but {row.arithmetic[0].lower()}{row.arithmetic[1:]}" if row.arithmetic else "")
        ),
    )


@study.command("backup")
@click.argument("file", type=NewFile(new=True))
@on_store
def backup_(store: Store, file: Path) -> Result:
    """Copy every study and every token into a new SQLite file, which can be served in place of the store."""
    copied = transfer.backup(store, file)
    return {"file": file.name, **asdict(copied)}, _copied(copied, file.name)


@study.command("copy")
@click.argument("target")
@click.argument("names", nargs=-1)
@on_store
def copy_(store: Store, target: str, names: tuple[str, ...]) -> Result:
    """Copy studies to another store, such as PostgreSQL; all of them, and the tokens, if none is named."""
    with Store(target) as other:
        copied = transfer.copy(store, other, names)
    return asdict(copied), _copied(copied, "the other store")


def _copied(copied: transfer.Copied, where: str) -> str:
    """What was copied, as a sentence. Raises Tampered if a study was left out."""
    text = f"Copied {counted(len(copied.studies), 'study', 'studies')} to {where}."
    if copied.left_out:
        raise Tampered(f"{text} Left out: {', '.join(copied.left_out)}. {' '.join(copied.left_out.values())}")
    return text


@study.command("delete")
@click.argument("name")
@click.confirmation_option(prompt="Delete the whole study? Only a backup brings it back.")
@on_store
def delete_(store: Store, name: str) -> Result:
    """Delete a study, the roles in it, and tokens that are for nothing else."""
    left = not transfer.delete(store, name)
    return {"deleted": name, "left_in_file": left}, f"Deleted {name}." + LEFT_IN_FILE * left


@study.command("erase")
@click.argument("name")
@click.argument("erased", metavar="NAME")
@click.option("--actor", default="operator", help="Who erases it.")
@click.confirmation_option(prompt="Erase this name? It cannot be brought back.")
@on_store
def erase_(store: Store, name: str, erased: str, actor: str) -> Result:
    """Replace a name in a study by a random one; what was learned stays."""
    erasure = transfer.erase(store, name, erased, actor=actor)
    text = f"In {name} it is now {erasure.name}."
    if erasure.similar:
        text += (
            f" Words that contain it stay in {counted(erasure.similar, 'place')}; see `coactor study log`."
        )
    return {"study": name, **asdict(erasure)}, text + LEFT_IN_FILE * erasure.left_in_file
