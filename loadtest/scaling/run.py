#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the model for docs/scaling.md; writes figures, tables and pictures: run.py PROGRAM FOLDER [--again]

PROGRAM is build/release/bin/scaling. FOLDER gets figures.json, tables.md and the pictures (gnuplot makes them). A run
that figures.json has already is not repeated, unless --again is given.
"""

import json
import pathlib
import subprocess
import sys

MODELS = {"volt": "Volt", "cores": "thread per core", "tokio": "Tokio's rules", "go": "Go's rules"}
LOADS = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 1.2)
COLOURS = {"volt": "#b03030", "cores": "#2f7d4f", "tokio": "#7a3fb0", "go": "#3f6fb0"}


def requests_for(workers):
    return {8: 40_000, 64: 60_000, 256: 100_000}[workers]


class Runs:
    def __init__(self, program, path, again):
        self.program, self.path = program, path
        self.known = json.loads(path.read_text()) if path.exists() and not again else {}

    def get(self, model, workers=64, load=0.5, **options):
        arguments = {"model": model, "workers": workers, "load": load, "service": 40_000}
        arguments |= {"requests": requests_for(workers)} | options
        words = []
        for name, value in arguments.items():
            words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
        key = " ".join(words)
        if key not in self.known:
            print(key, file=sys.stderr)
            done = subprocess.run([self.program, *words], capture_output=True, text=True, check=True, timeout=600)
            self.known[key] = json.loads(done.stdout)
            self.path.write_text(json.dumps(self.known, indent=1) + "\n")
        return self.known[key]


def table(title, columns, rows):
    lines = [f"### {title}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def keeps_up(run):
    return 0.995 < run["throughput"] / run["offered"] < 1.005


def figures(run, service_us):
    return [f"{run['throughput'] / run['offered'] * 100:.0f} %", f"{run['p50_us']:.0f}", f"{run['p99_us']:.0f}",
            f"{run['p999_us']:.0f}", f"{run['core_us'] - service_us:.1f}" if keeps_up(run) else "-",
            f"{run['wakes'] * 100:.1f}",
            f"{run['wasted'] * 100:.1f}", f"{run['searched']:.1f}", f"{run['stolen'] * 100:.1f}",
            f"{run['thefts_far'] / max(run['thefts'], 1e-9) * 100:.0f} %" if run["thefts"] else "-",
            f"{run['lines']:.1f}", f"{run['task_lines']:.1f}"]


COLUMNS = ["served", "p50 us", "p99 us", "p99.9 us", "overhead us", "wakes", "wasted", "victims", "stolen",
           "far thefts", "lines", "task lines"]


def tables(runs):
    parts = []
    for workers in (8, 64, 256):
        rows = [[MODELS[model], f"{load * 100:.0f} %"] + figures(runs.get(model, workers, load), 40)
                for load in (0.05, 0.5, 0.8, 1.2) for model in MODELS]
        parts.append(table(f"{workers} workers, requests of 40 us", ["scheduler", "load"] + COLUMNS, rows))
    rows = [[MODELS[model], f"{load * 100:.0f} %"] + figures(runs.get(model, 64, load, service=4_000), 4)
            for load in (0.05, 0.5, 0.8) for model in MODELS]
    parts.append(table("64 workers, requests of 4 us", ["scheduler", "load"] + COLUMNS, rows))
    shapes = {"bursts of 64": {"arrivals": "bursty"}, "half of the load on an eighth of the workers": {"skewed": True},
              "one in 20 takes 20 times the others": {"services": "mixed"}}
    rows = [[shape, MODELS[model]] + figures(runs.get(model, 64, 0.5, **options), 40)
            for shape, options in shapes.items() for model in MODELS]
    parts.append(table("64 workers at 50 %, loads of other shapes", ["load", "scheduler"] + COLUMNS, rows))
    stalls = {"stalls": 0.1, "requests": 300_000}
    rows = [[MODELS[model]] + figures(runs.get(model, 64, 0.5, **stalls), 86) for model in MODELS]
    rows.insert(1, ["Volt without rescue"] + figures(runs.get("volt", 64, 0.5, no_rescue=True, **stalls), 86))
    columns = ["scheduler"] + COLUMNS
    drop = columns.index("overhead us")
    parts.append(table("64 workers at 50 %, a tenth of the work in requests of 50 ms",
                       columns[:drop] + columns[drop + 1:], [row[:drop] + row[drop + 1:] for row in rows]))
    machines = {"8 groups with an L3 cache each": {}, "2 sockets": {"machine": "sockets", "domains": 2},
                "virtual machine": {"machine": "virtual"}}
    rows = [[name, MODELS[model]] + figures(runs.get(model, 64, 0.5, **options), 40)
            for name, options in machines.items() for model in MODELS]
    parts.append(table("64 workers at 50 %, other machines", ["machine", "scheduler"] + COLUMNS, rows))
    found = [runs.get("volt", 64, load, functions=True)["functions"] for load in (0.05, 0.5)]
    names = sorted(found[0] | found[1], key=lambda name: -sum(lines.get(name, 0) for lines in found))[:10]
    rows = [[f"`{name}`"] + [f"{lines.get(name, 0):.2f}" for lines in found] for name in names]
    parts.append(table("Volt, 64 workers: lines moved for a request, by the function that wants them",
                       ["function", "load 5 %", "load 50 %"], rows))
    return "\n".join(parts)


def plot(folder, name, title, x_label, y_label, series, log_x, log_y):
    """series: {model: [(x, y)]}"""
    script = ["set terminal svg size 720,420 font 'sans-serif,13' background '#ffffff'",
              f"set output '{folder / name}.svg'", f"set title '{title}'", f"set xlabel '{x_label}'",
              f"set ylabel '{y_label}'", "set key top left", "set grid lc rgb '#e0e4e8'"]
    script += ["set logscale x 2"] * log_x + ["set logscale y"] * log_y
    style = "'-' with linespoints lw 2 pt 7 ps 0.5"
    lines = [f"{style} lc rgb '{COLOURS[model]}' title \"{MODELS[model]}\"" for model in series]
    script.append("plot " + ", ".join(lines))
    for points in series.values():
        script += [f"{x} {y}" for x, y in points] + ["e"]
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def pictures(runs, folder):
    plot(folder, "scaling-p99", "64 workers, requests of 40 us", "load, %", "p99, us",
         {m: [(load * 100, runs.get(m, 64, load)["p99_us"]) for load in LOADS[:-1]] for m in MODELS}, False, True)
    for name, title, figure in (
            ("scaling-overhead", "load 50 %, requests of 40 us", lambda run: run["core_us"] - 40),
            ("scaling-lines", "load 50 %, requests of 40 us", lambda run: run["lines"] + run["task_lines"])):
        label = "overhead for a request, us" if name.endswith("overhead") else "lines moved for a request"
        plot(folder, name, title, "workers", label,
             {m: [(n, figure(runs.get(m, n, 0.5))) for n in (8, 64, 256)] for m in MODELS}, True, False)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    runs = Runs(program, folder / "figures.json", "--again" in sys.argv)
    (folder / "tables.md").write_text(tables(runs))
    pictures(runs, folder)


if __name__ == "__main__":
    main()
