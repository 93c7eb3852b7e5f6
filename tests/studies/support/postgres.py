"""A PostgreSQL server of our own, in a temporary folder, on a Unix socket."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INITDB = ("-A", "trust", "--no-sync", "-E", "UTF8")


def binaries() -> Path | None:
    """Where the server's programs are, if they are installed."""
    if shutil.which("pg_config"):
        folder = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True).stdout
        if (Path(folder.strip()) / "initdb").exists():
            return Path(folder.strip())
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else None


def _as_user() -> list[str]:
    """PostgreSQL refuses to run as root; then it runs as its own user."""
    return (
        ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        if os.geteuid() == 0
        else []
    )


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Start a server and give its URL without a database; stop it at the end."""
    programs = binaries()
    assert programs is not None
    data = folder / "data"
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0:
        for place in (folder, *folder.parents):  # the server's user must be able to walk there
            if place.is_relative_to("/tmp") and place != Path("/tmp"):
                place.chmod(place.stat().st_mode | 0o011)
        shutil.chown(folder, "postgres", "postgres")
    run = {"capture_output": True, "text": True, "cwd": "/"}
    made = subprocess.run(
        [*_as_user(), str(programs / "initdb"), "-D", str(data), "-U", user, *INITDB], **run
    )
    assert made.returncode == 0, made.stderr
    control = [*_as_user(), str(programs / "pg_ctl"), "-D", str(data), "-w"]
    # Only clients are killed in these tests, so the server itself need not wait for the disk.
    options = f"-k {folder} -c listen_addresses= -c max_connections=200 -c fsync=off"
    started = subprocess.run(
        [*control, "-l", str(folder / "log"), "-o", options, "start"], cwd="/", stdout=subprocess.DEVNULL
    )
    assert started.returncode == 0, (folder / "log").read_text()
    try:
        yield f"postgresql://{user}@/{{}}?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], cwd="/", stdout=subprocess.DEVNULL, check=True)


def new_database(url: str, name: str) -> str:
    """An empty database; its URL."""
    import psycopg

    with psycopg.connect(url.format("postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return url.format(name)


def new_schema(url: str, name: str) -> str:
    """The URL of an empty schema: as good as a database, without its 300 files."""
    import psycopg

    with psycopg.connect(url.format("postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"')
    return f"{url.format('postgres')}&options=-csearch_path%3D{name}"
