#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tables and plots of the figures: report.py FOLDER makes them again from FOLDER/figures.json."""

import json
import pathlib
import shutil
import subprocess
import sys

import rounds

OURS = "volt"
# The figures that are compared, and their short names.
RATIOS = {"cpu_us": "CPU", "both_us": "+client", "rate": "req/s", "p99_us": "p99"}
PLOTS = {
    "cpu_us": ("cpu.svg", "CPU time of the server, us per request: lower is better"),
    "rate": ("rate.svg", "requests per second: higher is better"),
    "p99_us": ("p99.svg", "p99 latency, us, open loop, logarithmic: lower is better"),
}
LOGARITHMIC = {"p99_us"}  # figures that differ by powers of ten
# The gray of the text is readable on white and on black.
TEXT, OUR_COLOUR, THEIR_COLOUR = "#808080", "0xe0662f", "0x7391b5"
COLUMNS, PANEL_WIDTH, PANEL_HEIGHT = 3, 320, 200
NOTES = """\
- **CPU us**: user and system time of the server, divided by the responses; **+client** adds the client's CPU time.
  **MiB**: resident memory after the run. **spread**: distance between the quartiles of the CPU figure.
- **database**: CPU time of the database, if there is one, divided by the responses; the other two do not include it.
- p50, p99 and p99.9 rank servers only in an open loop; at saturation they depend on how the kernel shares the processors.
- **volt/...**: Volt's figure divided by the peer's, median of the rounds; "noise" if the medians differ by no more than
  the spread of either.
"""


def can_plot():
    return shutil.which("gnuplot") is not None


def say(text):
    print(f"== {text}", file=sys.stderr, flush=True)


def markdown(rows):
    """Returns the rows, the first of which are the headings, as an aligned Markdown table."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    rules = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    aligned = [[cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])] for cells in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (aligned[0], rules, *aligned[1:]))


def number(value, digits=0):
    return f"{value:,.{digits}f}" if value else "-"


def ratio_to(ours, theirs, figure):
    return rounds.compare([getattr(each, figure) for each in ours], [getattr(each, figure) for each in theirs])


def table(title, results, judged_by):
    """Returns the table of the results {peer: [Round]}; `judged_by` names the figures that are meaningful."""
    heads = ["peer", "CPU us", "+client", "req/s", "p50 us", "p99 us", "MiB", "errors", "spread"]
    with_database = any(each.database_us for runs in results.values() for each in runs)
    if with_database:
        heads.insert(3, "database")
    latencies = ["p50_us", "p99_us"]
    if any(each.p999_us for runs in results.values() for each in runs):
        heads.insert(heads.index("MiB"), "p99.9 us")
        latencies.append("p999_us")
    rows = [heads + [f"{OURS}/... {RATIOS[figure]}" for figure in judged_by]]
    for name, runs in results.items():
        middle = rounds.medians(runs)
        cpu, ratios = ["-", "-", "-"], ["" for _ in judged_by]
        if "cpu_us" in judged_by and middle.cpu_us:
            width = rounds.spread([each.cpu_us for each in runs]) / middle.cpu_us
            cpu = [number(middle.cpu_us, 2), number(middle.both_us, 2), f"{width:.1%}"]
        if name != OURS and OURS in results:
            ratios = [ratio_to(results[OURS], runs, figure) for figure in judged_by]
        whole = [number(value) for value in (middle.rate, *(getattr(middle, each) for each in latencies))]
        errors = str(sum(each.errors for each in runs))
        database = [number(middle.database_us, 2)] if with_database else []
        rows.append([name, *cpu[:2], *database, *whole, number(middle.rss_mib, 1), errors, cpu[2], *ratios])
    return f"### {title}\n\n{markdown(rows)}"


def results_of(measured):
    return {name: [rounds.Round(**each) for each in runs] for name, runs in measured["rounds"].items()}


def table_of(name, measured):
    """Returns the table of an entry of an outcome's "scenarios"."""
    return table(f"{name}: {measured['title']}", results_of(measured), measured["judged_by"])


def panel(index, name, values, places, logarithmic):
    """Returns a gnuplot program of horizontal bars for {peer: value}, with room for `places` bars."""
    least, most = 0, max(values.values()) * 1.3
    if logarithmic:
        least = min(value for value in values.values() if value > 0) / 10
        most = max(values.values()) ** 1.4 / least ** 0.4
    lines = [f"{at} {value} {OUR_COLOUR if peer == OURS else THEIR_COLOUR} {value:,.{0 if value >= 100 else 2}f}"
             for at, (peer, value) in enumerate(values.items())]
    tics = ", ".join(f'"{peer}" {at}' for at, peer in enumerate(values))
    return "\n".join((
        f"$bars{index} << END", *lines, "END",
        f'set title "{name}" tc rgb "{TEXT}"',
        f"set ytics ({tics}) scale 0 tc rgb '{TEXT}'",
        f"set yrange [{places - 0.4}:-0.6]",
        f"{'set' if logarithmic else 'unset'} logscale x",
        f"set xrange [{least}:{most}]",
        f"plot $bars{index} using 2:1:({least}):2:($1-0.36):($1+0.36):3 \\",
        "  with boxxyerror fs solid noborder lc rgb variable notitle, \\",
        f"  $bars{index} using 2:1:4 with labels left offset 0.4,0 tc rgb '{TEXT}' notitle\n",
    ))


def plot(outcome, figure, file, title):
    """Plots one panel for each scenario that the figure judges. Returns False, without a file, if there is none."""
    panels = []
    for name, measured in outcome["scenarios"].items():
        values = {peer: getattr(rounds.medians(runs), figure) for peer, runs in results_of(measured).items()}
        if figure in measured["judged_by"] and any(values.values()):
            panels.append((name, values))
    if not panels:
        return False
    rows = -(-len(panels) // COLUMNS)
    places = max(len(values) for _, values in panels)
    size = f"{PANEL_WIDTH * min(COLUMNS, len(panels))},{PANEL_HEIGHT * rows + 40}"
    program = [
        f"set terminal svg size {size} font 'sans-serif,12'",
        f"set output '{file}'",
        f"set multiplot layout {rows},{min(COLUMNS, len(panels))} title \"{title}\" tc rgb '{TEXT}'",
        "unset border; unset xtics; unset key; set lmargin 10; set rmargin 1",
        *(panel(index, name, values, places, figure in LOGARITHMIC) for index, (name, values) in enumerate(panels)),
        "unset multiplot",
    ]
    subprocess.run(["gnuplot"], input="\n".join(program), text=True, check=True)
    return True


def write_plots(folder, outcome):
    """Writes the plots and returns {file: title}; it is empty if gnuplot is not installed."""
    if not can_plot():
        return {}
    return {file: title for figure, (file, title) in PLOTS.items() if plot(outcome, figure, str(folder / file), title)}


def write(folder, outcome):
    """Writes README.md, plots and figures.json for an `outcome` of all_rounds.py."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures.json").write_text(json.dumps(outcome, indent=1) + "\n")
    machine = outcome["machine"]
    text = [
        f"# Volt and other servers, {outcome['date']}\n",
        f"{machine['processor']}, {machine['processors']} processors, {machine['kernel']}; load average at the start "
        f"{machine['load']}. Server and client share the processors. Medians of {outcome['rounds']} rounds of "
        f"{outcome['seconds']} s, {outcome['workers']} workers each. Made by\n",
        f"```sh\n{outcome['command']}\n```\n",
        NOTES,
        *(f"![{title}]({file})\n" for file, title in write_plots(folder, outcome).items()),
    ]
    for name, measured in outcome["scenarios"].items():
        text.append(table_of(name, measured))
        text += [f"{peer} failed: {why}\n" for peer, why in measured["failures"].items()]
        text.append(f"`{measured['client']}`\n")
    text.append("## Versions and commands\n")
    for peer, version in outcome["versions"].items():
        commands = [each["commands"][peer] for each in outcome["scenarios"].values() if peer in each["commands"]]
        text.append(f"- {peer}: {version}; `{commands[0]}`" if commands else f"- {peer}: {version}")
    text += [f"- {line}" for line in outcome["left_out"]]
    (folder / "README.md").write_text("\n".join(text) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    write(folder, json.loads((folder / "figures.json").read_text()))


if __name__ == "__main__":
    main()
