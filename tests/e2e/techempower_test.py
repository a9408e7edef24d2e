#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/techempower over a PostgreSQL of its own, by the rules that the benchmarks' verifier checks.

Usage: techempower_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. Skipped where PostgreSQL is not installed.
"""

import concurrent.futures
import email.utils
import http.client
import json
import os
import pathlib
import re
import sys
import threading
import time

from server_process import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import private_postgres  # pylint: disable=wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
PROGRAM = pathlib.Path(sys.argv[1]) / "techempower"
RECOVERY_SECONDS_MAX = 120

COUNTS = {"": 1, "0": 1, "-3": 1, "foo": 1, "2": 2, "20": 20, "500": 500, "501": 500, "99999999999999999999": 500}

FORTUNES = """<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>\
<tr><td>11</td><td>&lt;script&gt;alert(&quot;This should not be displayed in a browser alert box.&quot;);&lt;/script&gt;</td></tr>\
<tr><td>4</td><td>A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1</td></tr>\
<tr><td>5</td><td>A computer program does what you tell it to do, not what you want it to do.</td></tr>\
<tr><td>2</td><td>A computer scientist is someone who fixes things that aren&#39;t broken.</td></tr>\
<tr><td>8</td><td>A list is only as strong as its weakest link. — Donald Knuth</td></tr>\
<tr><td>0</td><td>Additional fortune added at request time.</td></tr>\
<tr><td>3</td><td>After enough decimal places, nobody gives a damn.</td></tr>\
<tr><td>7</td><td>Any program that runs right is obsolete.</td></tr>\
<tr><td>10</td><td>Computers make very fast, very accurate mistakes.</td></tr>\
<tr><td>6</td><td>Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen</td></tr>\
<tr><td>9</td><td>Feature: A bug with seniority.</td></tr>\
<tr><td>1</td><td>fortune: No such file or directory</td></tr>\
<tr><td>12</td><td>フレームワークのベンチマーク</td></tr></table></body></html>"""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def ask(server, path, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def ask_ok(server, path, content_type):
    """What every test type must answer, whatever its body."""
    status, fields, body = ask(server, path)
    check(status == 200, f"{path}: {status} {body}")
    check(re.match(content_type, fields["Content-Type"]), f"{path}: {fields['Content-Type']}")
    check(fields["Server"] == "volt", f"{path}: {fields}")
    check(abs(email.utils.parsedate_to_datetime(fields["Date"]).timestamp() - time.time()) < 60, f"{path}: {fields}")
    check(int(fields["Content-Length"]) == len(body), f"{path}: {fields}")
    check(fields["Content-Encoding"] is None, f"{path}: not compressed")
    return body


def ask_json(server, path):
    return json.loads(ask_ok(server, path, r"^application/json(; ?charset=(UTF|utf)-8)?$"))


def check_world(world, what):
    check(list(world) == ["id", "randomNumber"], f"{what}: {world}")
    check(all(isinstance(value, int) and 1 <= value <= 10_000 for value in world.values()), f"{what}: {world}")


def check_worlds(worlds, count, what):
    check(isinstance(worlds, list) and len(worlds) == count, f"{what}: {len(worlds)} worlds")
    for world in worlds:
        check_world(world, what)


def numbers_of(database):
    return {int(id): int(number) for id, number in database.query("select id, randomnumber from world")}


class Statements:
    """What the server has been asked meanwhile, as pg_stat_statements counts it."""

    def __init__(self, database):
        self.database = database
        database.query("select pg_stat_statements_reset()")

    def calls(self, pattern):
        found = self.database.query(f"select coalesce(sum(calls), 0), coalesce(sum(rows), 0) from pg_stat_statements "
                                    f"where query ~* '{pattern}' and query !~* 'pg_stat'")
        return tuple(int(value) for value in found[0])


def test_json(server, _):
    check(ask_ok(server, "/json", "^application/json$") == b'{"message":"Hello, World!"}', "json")


def test_plaintext(server, _):
    check(ask_ok(server, "/plaintext", "^text/plain(; ?charset=(UTF|utf)-8)?$") == b"Hello, World!", "plaintext")


def test_the_date_goes_on(server, _):
    first = ask(server, "/plaintext")[1]["Date"]
    end = time.monotonic() + 30
    while ask(server, "/plaintext")[1]["Date"] == first:
        check(time.monotonic() < end, f"the Date stays {first}")
        time.sleep(0.2)


def test_db(server, database):
    numbers = numbers_of(database)
    statements = Statements(database)
    ids = set()
    for _ in range(50):
        world = ask_json(server, "/db")
        check_world(world, "db")
        check(numbers[world["id"]] == world["randomNumber"], f"it is what the table has: {world}")
        ids.add(world["id"])
    check(len(ids) > 40, f"random ids: {ids}")
    check(statements.calls("from world") == (50, 50), f"a query for each: {statements.calls('from world')}")


def test_db_is_not_cached(server, database):
    database.query("begin; create table kept as table world; update world set randomnumber = 7777; commit")
    check(all(ask_json(server, "/db")["randomNumber"] == 7777 for _ in range(10)), "the new numbers at once")
    database.query("begin; update world set randomnumber = kept.randomnumber from kept where kept.id = world.id; "
                   "drop table kept; commit")


def test_queries(server, database):
    for given, count in COUNTS.items():
        statements = Statements(database)
        worlds = ask_json(server, f"/queries?queries={given}")
        check_worlds(worlds, count, f"queries={given}")
        check(len({world["id"] for world in worlds}) == count, "different ids")
        check(statements.calls("from world") == (count, count), f"{count} queries: {statements.calls('from world')}")
    check_worlds(ask_json(server, "/queries"), 1, "no count")


def test_fortunes(server, database):
    statements = Statements(database)
    for _ in range(3):
        body = ask_ok(server, "/fortunes", r"^text/html; ?charset=(UTF|utf)-8$")
        check(body.decode() == FORTUNES, f"fortunes: {body.decode()}")
    check(statements.calls("from fortune") == (3, 36), f"each asks: {statements.calls('from fortune')}")
    check(statements.calls("order by") == (0, 0), "the server sorts nothing")


def test_updates(server, database):
    for given, count in COUNTS.items():
        before, statements = numbers_of(database), Statements(database)
        worlds = ask_json(server, f"/updates?queries={given}")
        selected, updated = statements.calls("^select.*where id"), statements.calls("^update world")
        after = numbers_of(database)
        check_worlds(worlds, count, f"updates={given}")
        check(all(after[world["id"]] == world["randomNumber"] for world in worlds), "what it says is in the table")
        changed = {id for id in after if after[id] != before[id]}
        check(changed <= {world["id"] for world in worlds}, "and nothing else has changed")
        check(len(changed) >= 0.95 * count - 1, f"{len(changed)} of {count} have changed")
        check(count < 20 or len({world["randomNumber"] for world in worlds}) > count / 2, "different numbers")
        check(selected == (count, count), f"{count} selects: {selected}")
        check(updated == (1, count), f"an update of {count} rows: {updated}")


def test_updates_side_by_side(server, _):
    with concurrent.futures.ThreadPoolExecutor(8) as workers:
        for worlds in workers.map(lambda _: ask_json(server, "/updates?queries=500"), range(40)):
            check_worlds(worlds, 500, "updates side by side")


def test_cached_queries(server, database):
    for given, count in COUNTS.items():
        check_worlds(ask_json(server, f"/cached-queries?count={given}"), count, f"count={given}")
    seen = set()
    end = time.monotonic() + 120
    while len(seen) < 10_000:
        seen |= {world["id"] for world in ask_json(server, "/cached-queries?count=500")}
        check(time.monotonic() < end, f"only {len(seen)} ids")
    statements = Statements(database)
    numbers = numbers_of(database)
    for world in ask_json(server, "/cached-queries?count=500"):
        check_world(world, "cached")
        check(world["id"] in numbers, f"a known id: {world}")
    check(statements.calls("where id") == (0, 0), "from the cache alone")


def ask_until_ok(server, path):
    end = time.monotonic() + RECOVERY_SECONDS_MAX
    while (answer := ask(server, path))[0] != 200:
        check(answer[0] == 503, f"{path}: {answer}")
        check(time.monotonic() < end, f"{path} does not recover: {answer}")
        time.sleep(0.1)


def test_the_database_goes_and_comes_back(server, database):
    check(ask(server, "/db")[0] == 200, "it is there")
    for _ in range(2):
        database.kill()
        for path in ("/db", "/queries?queries=5", "/fortunes", "/updates?queries=5"):
            status, fields, body = ask(server, path)
            check(status == 503, f"{path} without a database: {status} {body}")
            check(fields["Content-Type"] == "application/problem+json" and fields["Retry-After"] == "1", f"{fields}")
        check(ask(server, "/json")[0] == 200, "what needs no database goes on")
        database.start()
        ask_until_ok(server, "/updates?queries=5")
        check_worlds(ask_json(server, "/queries?queries=20"), 20, "afterwards")


def test_the_database_goes_under_load(server, database):
    begun, back = threading.Event(), threading.Event()

    def ask_often():
        seen = []
        while not back.is_set():
            seen.append(ask(server, "/queries?queries=20")[0])
            begun.set()
        return seen

    with concurrent.futures.ThreadPoolExecutor(4) as workers:
        asked = [workers.submit(ask_often) for _ in range(4)]
        try:
            check(begun.wait(RECOVERY_SECONDS_MAX), "nothing is answered")
            database.kill()
            database.start()
        finally:
            back.set()
        statuses = {status for future in asked for status in future.result()}
    check(statuses <= {200, 503}, f"{statuses}")
    ask_until_ok(server, "/db")


def main():
    if not private_postgres.installed():
        print("PostgreSQL is not installed: skipped")
        sys.exit(77)
    settings = {"shared_preload_libraries": "pg_stat_statements"}
    with private_postgres.PrivatePostgres(**settings) as database:
        database.load("create extension pg_stat_statements;")
        database.load((ROOT / "apps/techempower/schema.sql").read_text(encoding="utf-8"))
        environment = {"DATABASE_URL": database.url, "DATABASE_MAX_CONN": "8"}
        with Server(PROGRAM, io=IO, environment=environment) as server:
            for name, test in list(globals().items()):
                if name.startswith("test_"):
                    test(server, database)
                    print(f"{name}: ok", flush=True)
        with Server(PROGRAM, io=IO, environment={"DATABASE_URL": "host=/nonexistent"}) as server:
            check(ask(server, "/db")[0] == 503, "without a database it starts")


if __name__ == "__main__":
    main()
