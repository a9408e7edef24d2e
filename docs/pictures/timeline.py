#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a part of a timeline (docs/debugging.md) as an SVG: timeline.py TRACE.json FROM_MS UNTIL_MS > timeline.svg

A viewer such as Perfetto shows more; a page of documentation needs a picture that stays as it is.
"""

import html
import json
import sys

WIDTH, LEFT, ROW, GAP = 960, 90, 22, 18
COLOURS = {"parked": "#eef1f4", "awake": "#dfe5ea", "searching": "#cdb7e6", "kernel": "#b9c3cc", "steal": "#b07cd8",
           "rescue": "#d0503f"}
ARROWS = {"wake": "#8a949d", "steal": "#7a3fb0", "rescue": "#b03030", "move stream": "#2f7d4f"}
LETTER = 6.1  # width of a letter at the size of labels


def slices_and_arrows(trace):
    """([(track, depth, begin, end, name, category)], [(name, track, time, track, time)], {track: name})"""
    slices, arrows, names, open_slices, starts = [], [], {}, {}, {}
    for event in trace["traceEvents"]:
        track, phase = event["tid"], event["ph"]
        if phase == "M" and event["name"] == "thread_name":
            names[track] = event["args"]["name"]
        elif phase == "B":
            open_slices.setdefault(track, []).append(event)
        elif phase == "E":
            begun = open_slices[track].pop()
            slices.append((track, len(open_slices[track]), begun["ts"], event["ts"], begun["name"], begun["cat"]))
        elif phase == "s":
            starts[event["id"]] = event
        elif phase == "f":
            start = starts[event["id"]]
            arrows.append((event["name"], start["tid"], start["ts"], track, event["ts"]))
    return slices, arrows, names


def colour_of(name, category):
    return {"task": "#8fb8e0", "route": "#f0b65a"}.get(category, COLOURS.get(name, "#b9c3cc"))


class Picture:
    """Where a track and a time are."""

    def __init__(self, slices, names, begin, end):
        self.begin, self.end = begin, end
        self.tops, top = {}, 30
        for track in sorted(names):
            depth = max((depth for where, depth, *_ in slices if where == track), default=0)
            self.tops[track] = top
            top += (depth + 1) * ROW + GAP
        self.height = top + 14

    def x(self, time):
        time = min(max(time, self.begin), self.end)
        return LEFT + (time - self.begin) / (self.end - self.begin) * (WIDTH - LEFT - 10)

    def shows(self, begin, end):
        return end > self.begin and begin < self.end


def draw(trace, begin, end):
    slices, arrows, names = slices_and_arrows(trace)
    picture = Picture([each for each in slices if each[3] > begin and each[2] < end], names, begin, end)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {picture.height}" font-family="system-ui, '
           'sans-serif" font-size="11">', "  <title>A timeline of the workers</title>",
           f'  <rect width="{WIDTH}" height="{picture.height}" fill="#fff"/>']
    for track, name in names.items():
        out.append(f'  <text x="10" y="{picture.tops[track] + 15}" font-size="13">{html.escape(name)}</text>')
    for track, depth, since, until, name, category in slices:
        if not picture.shows(since, until):
            continue
        left, right, top = picture.x(since), picture.x(until), picture.tops[track] + depth * ROW
        width = max(right - left, 0.6)
        out.append(f'  <rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{ROW - 1}" '
                   f'fill="{colour_of(name, category)}"/>')
        room = int((width - 8) / LETTER)
        label = name if len(name) <= room else name[:room - 1] + "…"
        if room >= 4:
            out.append(f'  <text x="{left + 4:.1f}" y="{top + 15}">{html.escape(label)}</text>')
    for name, source, at, target, reached in arrows:
        if source == target or not (picture.begin <= at and reached <= picture.end):
            continue
        x1, x2 = picture.x(at), picture.x(reached)
        y1, y2 = picture.tops[source] + ROW // 2, picture.tops[target] + ROW // 2
        bend = 14 if y2 > y1 else -14
        colour = ARROWS.get(name, ARROWS["steal"])
        out.append(f'  <path d="M{x1:.1f} {y1}C{x1 + 8:.1f} {y1 + bend} {x2 - 8:.1f} {y2 - bend} {x2:.1f} {y2}" fill="none" '
                   f'stroke="{colour}" stroke-width="{1 if name == "wake" else 1.8}"/>')
        out.append(f'  <circle cx="{x2:.1f}" cy="{y2}" r="2.5" fill="{colour}"/>')
    for step in range(5):
        time = begin + (end - begin) * step / 4
        out.append(f'  <text x="{picture.x(time):.1f}" y="{picture.height - 6}" fill="#444" '
                   f'text-anchor="{"end" if step == 4 else "start"}">{time / 1000:.2f} ms</text>')
    legend = " ".join(f'<tspan fill="{colour}" dx="8">{html.escape(name)}</tspan>' for name, colour in ARROWS.items())
    out.append(f'  <text x="{LEFT}" y="16" fill="#444">arrows: {legend}</text>')
    return "\n".join(out) + "\n</svg>\n"


def main(path, begin, end):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    sys.stdout.write(draw(trace, float(begin) * 1000, float(end) * 1000))


if __name__ == "__main__":
    main(*sys.argv[1:])
