#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bin/arena over a PostgreSQL of its own, by the rules of HttpArena's verifier: async-db and crud.

Usage: arena_items_test.py FOLDER_OF_PROGRAMS; VOLT_TEST_IO chooses the reactor. Skipped where PostgreSQL is not installed.
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import sys
import time

from server_process import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import private_postgres  # pylint: disable=wrong-import-position

IO = os.environ.get("VOLT_TEST_IO", "auto")
ARENA = pathlib.Path(sys.argv[1], "arena")
PATIENCE_SECONDS = 60
ITEMS = 500
SCHEMA = f"""
create table items (id integer primary key, name text not null, category text not null, price integer not null,
                    quantity integer not null, active boolean not null, tags jsonb not null,
                    rating_score integer not null, rating_count integer not null);
insert into items select i, 'Item ' || i, (array['electronics', 'tools', 'toys'])[1 + i % 3], i % 100, 1 + i % 7,
                         i % 2 = 0, ('["t' || i || '", "\\"quoted\\""]')::jsonb, i % 50, i * 3
                  from generate_series(1, {ITEMS}) as i;
"""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(condition, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        check(time.monotonic() < deadline, what)
        time.sleep(0.02)


def ask(server, method, path, value=None):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
    body = None if value is None else json.dumps(value)
    client.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    answer = client.getresponse()
    content = answer.read()
    client.close()
    check(answer.headers["Content-Type"].split(";")[0].endswith("json"), answer.headers)
    return answer.status, answer.headers, json.loads(content)


def item(number):
    return {"id": number, "name": f"Item {number}", "category": ["electronics", "tools", "toys"][number % 3],
            "price": number % 100, "quantity": 1 + number % 7, "active": number % 2 == 0,
            "tags": [f"t{number}", '"quoted"'], "rating": {"score": number % 50, "count": number * 3}}


def test_async_db(server):
    for limit in (3, 17, 42, 50):
        status, _, answer = ask(server, "GET", f"/async-db?min=10&max=50&limit={limit}")
        check(status == 200 and answer["count"] == limit == len(answer["items"]), answer)
        for one in answer["items"]:
            check(one == item(one["id"]) and 10 <= one["price"] <= 50, one)
    check(ask(server, "GET", "/async-db?min=9999&max=9999&limit=50")[2] == {"items": [], "count": 0}, "an empty range")
    check(ask(server, "GET", "/async-db?min=0&max=99&limit=5000")[2]["count"] == 50, "at most 50")


def test_list(server):
    for page, limit in ((1, 5), (2, 5), (3, 50), (100, 5)):
        status, _, answer = ask(server, "GET", f"/crud/items?category=electronics&page={page}&limit={limit}")
        numbers = list(range(3, ITEMS + 1, 3))
        want = [item(number) for number in numbers[(page - 1) * limit:page * limit]]
        check((status, answer["items"], answer["page"]) == (200, want, page), answer)
        check((answer["total"], answer["limit"]) == (len(numbers), limit), answer)


def test_read_by_the_cache(server):
    check(ask(server, "GET", "/crud/items/1")[2] == item(1), "an item")

    def miss_then_hit():
        fields = [ask(server, "GET", "/crud/items/42")[1]["X-Cache"] for _ in range(2)]
        return fields == ["MISS", "HIT"]  # unless this machine takes longer than the cache keeps it

    eventually(miss_then_hit, "first a miss, then a hit, and a miss again when it has grown old")
    check(ask(server, "GET", "/crud/items/999999")[0] == 404, "one that is not there")


def test_make_and_change(server):
    new = {"id": 200001, "name": "Made", "category": "test", "price": 42, "quantity": 7}
    check(ask(server, "POST", "/crud/items", new)[0] == 201, "made")
    check(ask(server, "GET", "/crud/items/200001")[2].items() >= new.items(), "read back")
    check(ask(server, "POST", "/crud/items", {**new, "price": 43})[0] == 201, "made again")
    check(ask(server, "GET", "/crud/items/200001")[2]["price"] == 43, "is the new one")
    for price in range(99, 119):
        ask(server, "GET", "/crud/items/200001")
        changed = {"name": "Changed", "category": "test", "price": price, "quantity": 1}
        status, _, answer = ask(server, "PUT", "/crud/items/200001", changed)
        check(status == 200 and answer.items() >= changed.items(), answer)
        _, fields, answer = ask(server, "GET", "/crud/items/200001")
        check(fields["X-Cache"] == "MISS" and answer["price"] == price, f"what has changed is not kept: {answer}")
    check(ask(server, "PUT", "/crud/items/999999", changed)[0] == 404, "one that is not there")
    check(ask(server, "POST", "/crud/items", {"id": 1})[0] == 422, "one that lacks something")


def test_many_at_once(server):
    def read(number):
        return ask(server, "GET", f"/crud/items/{1 + number % ITEMS}")[2] == item(1 + number % ITEMS)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        check(all(pool.map(read, range(800))), "each gets its own")


def main():
    if not private_postgres.installed():
        print("PostgreSQL is not installed: skipped")
        sys.exit(77)
    with private_postgres.PrivatePostgres() as database:
        database.load(SCHEMA)
        environment = {"DATABASE_URL": database.url, "DATABASE_MAX_CONN": "8"}
        with Server(ARENA, io=IO, environment=environment) as server:
            for name, test in list(globals().items()):
                if name.startswith("test_"):
                    test(server)
                    print(f"{name}: ok", flush=True)


if __name__ == "__main__":
    main()
