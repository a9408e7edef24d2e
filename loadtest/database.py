# SPDX-License-Identifier: MIT
"""PostgreSQL for the scenarios with a database: a private server on a unix socket, configured alike for all peers.

Its table is that of TechEmpower's benchmarks: 10,000 rows of an id and a number. Here the number follows from the id,
so that a response can be checked. No query writes to the table while servers are measured.
"""

import contextlib
import json
import pathlib
import subprocess
import sys

import server_process

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "support"))
import private_postgres  # pylint: disable=wrong-import-position

PACKAGE = "postgresql"  # Debian's
ROWS = 10_000
CONNECTIONS = 16  # per server, over all of its processes
TABLE = f"""
create table world (id integer primary key, randomnumber integer not null);
insert into world select id, {ROWS} + 1 - id from generate_series(1, {ROWS}) as t (id);
vacuum analyze world;
"""

installed = private_postgres.installed


def version():
    program = private_postgres.folder_of_programs() / "postgres"
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[2]


class Database:
    def __init__(self, postgres):
        self.url = postgres.url  # connects as the superuser, without a password
        self.process = postgres.process.pid

    def cpu_seconds(self):
        return server_process.cpu_seconds(self.process)


def empty():
    """Returns a context manager that runs a database without a table; the `url` of its value connects to it."""
    return private_postgres.PrivatePostgres(listen_addresses="")


@contextlib.contextmanager
def beside(options, wanted):
    """If `wanted`, runs a database, which options.database names for the servers that are started within."""
    if not wanted:
        yield
        return
    with empty() as postgres:
        postgres.load(TABLE)
        options.database = Database(postgres)
        try:
            yield
        finally:
            options.database = None


def is_row(value):
    """Returns whether `value` is a row of the table."""
    if not isinstance(value, dict) or value.get("id") not in range(1, ROWS + 1):
        return False
    return value == {"id": value["id"], "randomNumber": ROWS + 1 - value["id"]}


def is_one_row(body):
    with contextlib.suppress(ValueError):
        return is_row(json.loads(body))
    return False


def are_rows(count):
    def right(body):
        with contextlib.suppress(ValueError):
            rows = json.loads(body)
            return isinstance(rows, list) and len(rows) == count and all(map(is_row, rows))
        return False

    return right
