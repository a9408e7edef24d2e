#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which answers count as right, of scenarios with one and with many."""

from loadtest import scenarios, server_process

ROW = b'{"id":1,"randomNumber":10000}'
LAST = b'{ "randomNumber": 1, "id": 10000 }'


def answer(body, status="200 OK", kind="application/json", date="Date: now\r\n"):
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{date}\r\n".encode() + body


def rows(*all_of_them):
    return b"[" + b",".join(all_of_them) + b"]"


CASES = [
    ("the one body", "json", answer(b'{"message":"Hello, World!"}'), True),
    ("another body", "json", answer(b'{"message":"hello"}'), False),
    ("no success", "json", answer(b'{"message":"Hello, World!"}', status="503 Oh"), False),
    ("another type", "json", answer(b'{"message":"Hello, World!"}', kind="text/plain"), False),
    ("no date", "json", answer(b'{"message":"Hello, World!"}', date=""), False),
    ("the first row", "db", answer(ROW), True),
    ("the last row, written otherwise", "db", answer(LAST), True),
    ("a number of another row", "db", answer(b'{"id":1,"randomNumber":9999}'), False),
    ("no row of the table", "db", answer(b'{"id":0,"randomNumber":10001}'), False),
    ("no id", "db", answer(b'{"randomNumber":10000}'), False),
    ("more than a row has", "db", answer(b'{"id":1,"randomNumber":10000,"more":1}'), False),
    ("a list of one", "db", answer(rows(ROW)), False),
    ("no JSON", "db", answer(b"id 1"), False),
    ("a row, without success", "db", answer(ROW, status="500 Oh"), False),
    ("twenty rows, some of them the same", "db-20", answer(rows(*[ROW] * 10, *[LAST] * 10)), True),
    ("one less", "db-20", answer(rows(*[ROW] * 19)), False),
    ("one of them wrong", "db-20", answer(rows(*[ROW] * 19, b'{"id":2,"randomNumber":2}')), False),
    ("no list", "db-20", answer(ROW), False),
    ("no JSON for many", "db-20", answer(b"[" + ROW), False),
]


def main():
    for why, name, given, wanted in CASES:
        if server_process.as_wanted(given, scenarios.SCENARIOS[name]) != wanted:
            raise AssertionError(f"{why}: {'not ' if wanted else ''}taken for right: {given!r}")


if __name__ == "__main__":
    main()
