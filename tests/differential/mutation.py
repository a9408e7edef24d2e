# SPDX-License-Identifier: MIT
"""Raw requests made into other ones, most of them wrong in the ways that requests are smuggled by."""

import base64
import json
import random

BYTES_MAX = 12 * 1024  # of a case: HAProxy shows a body to its log only as far as it fits its buffer of 16 KiB

NASTY_BYTES = b"\0\t\n\v\f\r :,;\"\\#%_-+0x\x7f\x80\xa0\xff"
LINE_ENDS = (b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n\r\n", b"\r\n ", b"\r\n\t", b"\0\r\n")
FRAMING_LINES = (
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding : chunked",
    b"Transfer-Encoding:chunked",
    b"Transfer-Encoding:\tchunked",
    b"Transfer-Encoding:\vchunked",
    b"Transfer-Encoding: chunked ",
    b"Transfer-Encoding: \"chunked\"",
    b"Transfer-Encoding: xchunked",
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding: identity, chunked",
    b"Transfer-Encoding: ,chunked",
    b"Transfer-Encoding: CHUNKED",
    b"Transfer-Encoding: chunked;a=b",
    b"Transfer-Encoding:\r\n chunked",
    b"Transfer-Encoding:",
    b" Transfer-Encoding: chunked",
    b"Transfer_Encoding: chunked",
    b"Transfer-Encoding\t: chunked",
    b"X: y\nTransfer-Encoding: chunked",
    b"X: y\rTransfer-Encoding: chunked",
    b"TE: chunked",
    b"Content-Length: %d",
    b"Content-Length : %d",
    b"Content-Length: +%d",
    b"Content-Length: 0%d",
    b"Content-Length: 0x%d",
    b"Content-Length: %d, %d",
    b"Content-Length:\t%d",
    b"Content-Length: %d.0",
    b"Content-Length: -%d",
    b"Content-Length:",
    b"Content_Length: %d",
    b"X: y\nContent-Length: %d",
    b"Expect: 100-continue",
    b"Connection: close",
    b"Connection: keep-alive, Transfer-Encoding",
    b"Connection: Content-Length",
    b"Connection: upgrade\r\nUpgrade: websocket",
    b"X-Front-Id: 0123456789abcdef0123456789abcdef",
)
HIDDEN = (
    b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /hidden HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    b"POST /hidden HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\nX: ",
    b"GET /hidden HTTP/1.1\r\nHost: a\r\nX-Front-Id: 0123456789abcdef0123456789abcdef\r\n\r\n",
)
CHUNKS = (
    b"5\r\nhello\r\n0\r\n\r\n",
    b"5;a=b\r\nhello\r\n0\r\nX-Trailer: y\r\n\r\n",
    b"5\nhello\n0\n\n",
    b"05 \r\nhello\r\n0\r\n\r\n",
    b"5\r\nhello0\r\n\r\n",
    b"5\r\nhelloXX0\r\n\r\n",
    b"+5\r\nhello\r\n0\r\n\r\n",
    b"0x5\r\nhello\r\n0\r\n\r\n",
    b"5;\n\r\nhello\r\n0\r\n\r\n",
    b"fffffffffffffffb\r\nhello\r\n0\r\n\r\n",
    b"5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n",
    b"5\r\nhello\r\n00000000\r\n\r\n",
    b"5\r\nhello\r\n0\r\n",
)


def read_cases(folder):
    """The raw requests of the suites there, *.jsonl with a case a line: raw_base64, or parts of b64."""
    cases = []
    for suite in sorted(folder.glob("*.jsonl")):
        for line in suite.read_text().splitlines():
            case = json.loads(line)
            texts = [case["raw_base64"]] if case.get("raw_base64") else [part["b64"] for part in case.get("parts", [])]
            raw = b"".join(base64.b64decode(text) for text in texts)
            if 0 < len(raw) <= BYTES_MAX:
                cases.append(raw)
    return cases


def change_byte(raw, chance, _):
    at = chance.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :]


def insert_byte(raw, chance, _):
    at = chance.randrange(len(raw) + 1)
    return raw[:at] + bytes([chance.choice(NASTY_BYTES)]) + raw[at:]


def delete_byte(raw, chance, _):
    at = chance.randrange(len(raw))
    return raw[:at] + raw[at + 1 :]


def duplicate_line(raw, chance, _):
    lines = raw.split(b"\r\n")
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return b"\r\n".join(lines)


def delete_line(raw, chance, _):
    lines = raw.split(b"\r\n")
    del lines[chance.randrange(len(lines))]
    return b"\r\n".join(lines)


def change_line_end(raw, chance, _):
    lines = raw.split(b"\r\n")
    if len(lines) == 1:
        return raw
    at = chance.randrange(1, len(lines))
    return b"\r\n".join(lines[:at]) + chance.choice(LINE_ENDS) + b"\r\n".join(lines[at:])


def add_framing(raw, chance, _):
    line = chance.choice(FRAMING_LINES)
    number = chance.choice((0, 1, 4, 5, 6, 15, len(raw) // 4))
    line = line.replace(b"%d", b"%d" % number)
    head = raw.split(b"\r\n\r\n")[0].split(b"\r\n")
    at = sum(len(part) + 2 for part in head[: chance.randrange(1, len(head) + 1)])
    return raw[:at] + line + b"\r\n" + raw[at:]


def change_number(raw, chance, _):
    places = [at for at, byte in enumerate(raw) if byte in b"0123456789"]
    if not places:
        return raw
    at = chance.choice(places)
    return raw[:at] + chance.choice((b"", b"0", b"1", b"5", b"7", b"10", b"a")) + raw[at + 1 :]


def hide_request(raw, chance, _):
    return raw + chance.choice(HIDDEN)


def replace_body(raw, chance, _):
    head, end, _ = raw.partition(b"\r\n\r\n")
    return head + end + chance.choice(CHUNKS)


def splice(raw, chance, cases):
    other = chance.choice(cases)
    cut, start = chance.randrange(len(raw) + 1), chance.choice((0, chance.randrange(len(other))))
    return chance.choice((raw[:cut] + other[start:], raw + other, raw[:cut] + other + raw[cut:]))


MUTATIONS = (
    change_byte, insert_byte, delete_byte, duplicate_line, delete_line, change_line_end, add_framing, add_framing,
    change_number, hide_request, replace_body, splice,
)  # fmt: skip


def mutate(cases, count, seed):
    """That many, each made of one of the cases; the same for the same seed."""
    chance = random.Random(seed)
    mutated = []
    while len(mutated) < count:
        raw = chance.choice(cases)
        for _ in range(chance.choice((1, 1, 2, 2, 3, 4))):
            raw = chance.choice(MUTATIONS)(raw, chance, cases) or raw
        mutated.append(raw[:BYTES_MAX])
    return mutated
