#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots from canned figures, and the rule that what is noise is no ratio."""

import json
import pathlib
import shutil
import tempfile
import xml.etree.ElementTree

from loadtest import report, rounds


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def runs(*cpu_us, p99_us=100.0, **more):
    return [rounds.Round(each, 2 * each, 1e6 / each, 50.0, p99_us, 1, 7.5, **more) for each in cpu_us]


def entry(judged_by, **results):
    """Of an outcome's scenarios."""
    return {
        "title": "a title", "judged_by": judged_by, "client": "wrk PORT", "failures": {"go": "does not answer"},
        "commands": {name: f"{name} --flag" for name in results},
        "rounds": {name: [each._asdict() for each in figures] for name, figures in results.items()},
    }


OUTCOME = {
    "date": "2000-01-01", "command": "loadtest/run.sh --rounds 5", "rounds": 5, "seconds": 2, "workers": 2, "io": "auto",
    "machine": {"processor": "A Processor", "processors": 2, "kernel": "Linux 6", "load": "0.10"},
    "versions": {"volt": "commit abc", "nginx": "1.22"},
    "left_out": ["no h2o: apt-get install h2o"],
    "scenarios": {
        "64": entry(("cpu_us", "rate"), volt=runs(3.9, 4.0, 4.0, 4.1), nginx=runs(5.0, 5.0, 5.1, 4.9)),
        "db": entry(("cpu_us", "rate"), volt=runs(9, 9, 9, database_us=16), go=runs(30, 31, 29, database_us=20)),
        "paced-400": entry(("p99_us",), volt=runs(4, 4, 4, p999_us=700), nginx=runs(8, 8, 8, p999_us=900)),
        "skew": entry(("p99_us",), volt=runs(4, 4, 4, p99_us=2000), nginx=runs(8, 8, 8, p99_us=4000)),
    },
}


def a_ratio_is_larger_than_the_noise():
    cases = [
        ("far apart", [4.0, 4.1, 3.9, 4.0], [8.0, 8.2, 7.8, 8.0], "0.50"),
        ("the medians differ by less than theirs do", [4.0, 4.1, 3.9, 4.0], [3.0, 4.5, 6.5, 4.0], "noise"),
        ("the medians differ by less than ours do", [3.0, 4.5, 6.5, 4.0], [4.0, 4.1, 3.9, 4.0], "noise"),
        ("the same", [4.0, 4.0], [4.0, 4.0], "noise"),
        ("three rounds: the ends count", [4.0, 4.0, 6.0], [5.0, 5.0, 5.0], "noise"),
        ("a single round says nothing", [4.0], [8.0], "-"),
        ("a client without that figure", [4.0, 4.0], [0, 0], "noise"),
    ]
    for why, ours, theirs, wanted in cases:
        got = rounds.compare(ours, theirs)
        check(got == wanted, f"{why}: {got}, not {wanted}")


def cells(text, peer):
    line = next(line for line in text.splitlines() if line.startswith(f"| {peer} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def a_table_has_what_judges():
    text = report.table_of("64", OUTCOME["scenarios"]["64"])
    wanted = ["nginx", "5.00", "10.00", "200,000", "50", "100", "7.5", "4", "1.0%", "0.79", "1.26"]
    check(cells(text, "nginx") == wanted, text)
    check(cells(text, "volt")[-2:] == ["", ""], text)
    check(len({len(line) for line in text.splitlines() if line.startswith("|")}) == 1, text)
    text = report.table_of("db", OUTCOME["scenarios"]["db"])
    check(cells(text, "peer")[1:5] == ["CPU us", "+client", "database", "req/s"], text)
    check(cells(text, "go")[1:5] == ["30.00", "60.00", "20.00", "33,333"], text)
    text = report.table_of("paced-400", OUTCOME["scenarios"]["paced-400"])
    check(cells(text, "peer")[5:8] == ["p99 us", "p99.9 us", "MiB"] and cells(text, "nginx")[6] == "900", text)
    text = report.table_of("skew", OUTCOME["scenarios"]["skew"])
    check(cells(text, "nginx")[1:3] == ["-", "-"] and cells(text, "nginx")[-1] == "0.50", text)


def svg_words(path):
    return [text.strip() for text in xml.etree.ElementTree.parse(path).getroot().itertext() if text.strip()]


def a_report_can_be_made_anew(folder):
    report.write(folder, OUTCOME)
    first = (folder / "README.md").read_text()
    for word in ("A Processor", "loadtest/run.sh --rounds 5", "commit abc", "apt-get install h2o", "go failed: does not answer",
                 "`nginx --flag`", "wrk PORT"):
        check(word in first, f"no {word} in {first}")
    report.write(folder, json.loads((folder / "figures.json").read_text()))
    check((folder / "README.md").read_text() == first, "the figures lose something")
    if not shutil.which("gnuplot"):
        check("svg" not in first, "plots that are not there")
        return
    check("(cpu.svg)" in first and "(p99.svg)" in first, first)
    words = svg_words(folder / "cpu.svg")
    check({"volt", "nginx", "4.00", "5.00", "64"} <= set(words) and "skew" not in words, words)
    words = svg_words(folder / "p99.svg")
    check({"2,000", "4,000", "skew"} <= set(words) and "64" not in words, words)


def main():
    a_ratio_is_larger_than_the_noise()
    a_table_has_what_judges()
    with tempfile.TemporaryDirectory() as folder:
        a_report_can_be_made_anew(pathlib.Path(folder))


if __name__ == "__main__":
    main()
