#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/crud on PostgreSQL: its items are in the database, and it comes back when that does.

Usage: crud_postgres_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. Leaves with 77, which CTest takes for
skipped, where PostgreSQL is not installed.
"""

import contextlib
import http.client
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from private_postgres import PrivatePostgres, installed  # pylint: disable=wrong-import-position
from server_process import Server  # pylint: disable=wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAMS = pathlib.Path(sys.argv[1])
SKIPPED = 77
WAIT_SECONDS_MAX = 60


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def ask(server, method, path, value=None, version=None):
    headers = {"Authorization": "Bearer t", "Content-Type": "application/json"}
    if version:
        headers["If-Match"] = f'"{version}"'
    body = None if value is None else json.dumps(value)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request(method, "/api/v1" + path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, answer.headers, json.loads(text) if text else None


def serve(database):
    return Server(PROGRAMS / "crud", io=IO, environment={"DATABASE_URL": database.url})


def test_items_are_in_the_database(database):
    with serve(database) as one, serve(database) as other:
        status, fields, item = ask(one, "POST", "/items", {"name": "pen", "price": 300})
        check((status, fields["ETag"]) == (201, '"1"'), f"added: {status} {fields}")
        check(ask(other, "GET", f"/items/{item['id']}")[2] == item, "another process sees it")
        check(ask(other, "POST", "/items", {"name": "pen", "price": 1})[0] == 409, "and that its name is taken")
        check(ask(other, "PUT", f"/items/{item['id']}", {"name": "pen", "price": 250}, version=1)[0] == 200, "changed")
        check(ask(one, "PUT", f"/items/{item['id']}", {"name": "pen", "price": 200}, version=1)[0] == 412, "stale")
        check(ask(one, "GET", "/items?name=%00")[2] == [], "no name holds what no text does")
    check(database.query("select name, price, version from items") == [["pen", "250", "2"]], "it is in the table")


def test_it_comes_back_with_its_database(database):
    with serve(database) as server:
        check(ask(server, "GET", "/items")[0] == 200, "served")
        database.query("checkpoint")  # commits are asynchronous here: without it the table itself could be lost
        database.kill()
        status, fields, _ = ask(server, "GET", "/items")
        check((status, fields["Retry-After"]) == (503, "1"), f"gone: {status} {fields}")
        database.start()
        end = time.monotonic() + WAIT_SECONDS_MAX
        while (after := ask(server, "GET", "/items"))[0] == 503 and time.monotonic() < end:
            time.sleep(0.1)
        check(after[0] == 200, f"back: {after}")
        check(ask(server, "POST", "/items", {"name": "ink", "price": 500})[0] == 201, "and it takes items")


def test_a_missing_table_is_not_called_unavailable(database):
    with serve(database) as server:
        check(ask(server, "GET", "/items")[0] == 200, "served")
        database.query("alter table items rename to hidden")
        check(ask(server, "GET", "/items")[0] == 500, "waiting does not help")
        database.query("alter table hidden rename to items")
        check(ask(server, "GET", "/items")[0] == 200, "served again")
    check(server.log.count("does not exist") == 1, f"the cause is logged once: {server.log}")


if __name__ == "__main__":
    if not installed():
        print("skipped: PostgreSQL is not installed")
        sys.exit(SKIPPED)
    with PrivatePostgres() as database:
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test(database)
                print(f"{name}: ok", flush=True)
