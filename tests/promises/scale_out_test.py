#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Promise 25: three replicas behind HAProxy lose no acknowledged write, no job, no session and no live update.

  scale_out_test.py FOLDER_OF_PROGRAMS            the short form, which ctest runs: each fault once
  scale_out_test.py FOLDER_OF_PROGRAMS --long     each fault three times, also crashes and long absences of the servers

apps/board with the HAProxy of config/deploy/board, a real PostgreSQL and a real Redis, under load: logins, posts, uploads,
reads and subscribers. A replica is killed, one is restarted gracefully, Redis and PostgreSQL are restarted. Clients repeat
what fails. Failures are permitted from the fault until some time after its end (docs/scale-out.md). Skipped where HAProxy,
PostgreSQL or Redis is missing. VOLT_TEST_IO chooses the engine.
"""

import pathlib
import signal
import sys
import time

import board_cluster
from board_cluster import Cluster
from board_load import Load
from measure import IO, SKIPPED, check, eventually, run_tests, sanitized, skip

PROGRAM = pathlib.Path(sys.argv[1], "board")
LONG = "--long" in sys.argv[2:]
CALM_SECONDS = 2 if LONG else 0.5  # after each fault
CHECK_INTERVAL, DRAIN_DELAY = ("1s", 3) if LONG else ("200ms", 1)
# For how long after the end of a fault requests may fail: the balancer's checks, and the pauses of pools between two
# attempts to connect. Several times as long as an idle machine needs.
KILLED_SECONDS, REDIS_SECONDS, POSTGRES_SECONDS = 5, 5, 10


def kill_a_replica(cluster, turn):
    cluster.replicas[turn % 3].kill()


def start_it_again(cluster, turn):
    replica = cluster.replicas[turn % 3]
    replica.start()
    eventually(replica.has_served, "HAProxy does not take the replica back")


def restart_a_replica(cluster, turn):
    """A rolling update of one replica."""
    cluster.replicas[turn % 3].stop()
    start_it_again(cluster, turn)


def restarting(server, end=signal.SIGTERM, away_seconds=0):
    def restart(cluster, _):
        getattr(cluster, server).restart(end, away_seconds)
    return restart


# What happens, what happens then without a failure, and for how long requests may fail; none: not at all.
FAULTS = [
    ("a replica is killed", kill_a_replica, start_it_again, KILLED_SECONDS),
    ("a replica is restarted", restart_a_replica, None, None),
    ("Redis is restarted", restarting("redis"), None, REDIS_SECONDS),
    ("PostgreSQL is restarted", restarting("postgres", signal.SIGINT), None, POSTGRES_SECONDS),
]
if LONG:
    FAULTS = 3 * FAULTS + [
        ("Redis crashes", restarting("redis", signal.SIGKILL), None, REDIS_SECONDS),
        ("PostgreSQL crashes", restarting("postgres", signal.SIGKILL), None, POSTGRES_SECONDS),
        ("Redis is away for 5 s", restarting("redis", away_seconds=5), None, REDIS_SECONDS),
        ("PostgreSQL is away for 5 s", restarting("postgres", signal.SIGINT, 5), None, POSTGRES_SECONDS),
    ]


def await_calm(journal, name):
    """Waits until operations succeed and none has failed for a while, which begins now at the earliest."""
    began = time.monotonic()

    def calm():
        now = time.monotonic()
        requests, failures, _ = journal.within(now - CALM_SECONDS, now)
        return now - began >= CALM_SECONDS and requests > 5 and not failures
    eventually(calm, name)


def inject(cluster, load, turn, fault):
    """Returns the line of the table."""
    name, act, repair, window = fault
    journal = load.journal
    began = time.monotonic()
    act(cluster, turn)
    acted = time.monotonic()
    await_calm(journal, f"after: {name}")
    ended = time.monotonic()
    requests, failures, longest = journal.within(began, ended)
    last = max((end for _, end, _ in failures), default=acted) - acted
    check(window is not None or not failures, f"{name}: {len(failures)} failed: {failures[:3]}")
    check(window is None or last <= window, f"{name}: failures until {last:.1f} s after its end: {failures[-3:]}")
    if repair:
        repair(cluster, turn)
        _, failures_of_repair, _ = journal.within(ended, time.monotonic())
        check(not failures_of_repair, f"{name}, repaired: {failures_of_repair[:3]}")
    return f"  {name:28} {requests:8} {len(failures):8} {max(last, 0):13.2f} {longest:15.2f}"


def check_posts(cluster, journal):
    rows = cluster.postgres.query("select id, text from post")
    stored = {int(one): text for one, text in rows}
    lost = [one for one, text in journal.posts.items() if stored.get(one) != text]
    check(not lost, f"{len(lost)} of {len(journal.posts)} acknowledged posts are lost: {lost[:5]}")
    twice = len(stored) - len(set(stored.values()))
    check(twice == 0, f"{twice} posts were written twice")


def check_jobs(cluster):
    def left():
        return cluster.postgres.query("select count(*) from volt_job where done_at is null")[0][0]
    eventually(lambda: left() == "0", lambda: f"{left()} jobs are left")
    posts, counted, words = map(int, cluster.postgres.query(
        "select (select count(*) from post), sum(posts), sum(words) from member")[0])
    check(counted == posts and words == 3 * posts, f"the jobs of {posts} posts have counted {counted} and {words} words")


def check_live_updates(load):
    eventually(lambda: not any(load.missing()), lambda: f"live updates are missing: {load.missing()}")
    received = sum(len(one.seen) for one in load.subscribers)
    repeated = sum(sum(one.seen.values()) for one in load.subscribers) - received
    connections = sum(one.connections for one in load.subscribers)
    print(f"  live updates: {received} over {connections} connections, 0 missing, {repeated} repeated")


def test_faults_lose_nothing():
    with Cluster(PROGRAM, CHECK_INTERVAL, DRAIN_DELAY) as cluster:
        migrated = cluster.postgres.query("select count(*) from volt_migrations")
        check(migrated == [["1"]], f"three replicas that start together migrate once: {migrated}")
        with Load(cluster.port) as load:
            await_calm(load.journal, "the load begins")
            lines = [inject(cluster, load, turn, fault) for turn, fault in enumerate(FAULTS)]
            load.finish()
            check_posts(cluster, load.journal)
            check_jobs(cluster)
            check_live_updates(load)
        check(not load.journal.wrong, f"{len(load.journal.wrong)} wrong: {load.journal.wrong[:3]}")
        posts = len(load.journal.posts)
        print(f"  {IO}: {load.journal.requests} requests, {posts} posts acknowledged, 0 lost, each counted once")
        print(f"  {'fault':28} {'requests':>8} {'failures':>8} {'last after s':>13} {'longest pause s':>15}")
        print("\n".join(lines))


if __name__ == "__main__":
    if sanitized(PROGRAM):
        sys.exit(SKIPPED)  # it takes minutes there, and finds what the release finds
    if without := board_cluster.missing():
        skip(f"{without} is not installed")
    run_tests([test_faults_lose_nothing])
