# SPDX-License-Identifier: MIT
"""Categories 12 and 13: permessage-deflate (RFC 7692) with different payloads and parameters."""

import dataclasses
import functools
import itertools
import json
import random

from peer import BINARY, TEXT

DATA_BYTES = 300_000  # of each kind; messages are cut from it, one after another, around the end

# Sizes of messages and of the fragments that they are sent in; None: whole.
SIZES = [(16, None), (64, None), (256, None), (1024, None), (4096, None), (8192, None), (16384, None), (32768, None),
         (65536, None), (131072, None), (8192, 256), (16384, 256), (32768, 256), (65536, 256), (131072, 256),
         (131072, 1024), (131072, 4096), (131072, 32768)]

CLIENT = "permessage-deflate; client_no_context_takeover; client_max_window_bits"
OFFERS = [
    CLIENT,
    f"{CLIENT}; server_no_context_takeover",
    f"{CLIENT}; server_max_window_bits=9",
    f"{CLIENT}; server_max_window_bits=15",
    f"{CLIENT}; server_no_context_takeover; server_max_window_bits=9",
    f"{CLIENT}; server_no_context_takeover; server_max_window_bits=15",
    f"{CLIENT}; server_no_context_takeover; server_max_window_bits=9, {CLIENT}; server_no_context_takeover, {CLIENT}",
]
WORDS = ("the of and to in is that it was for on are as with his they at be this from have or by one had not but what "
         "all were when we there can an your which their said if do will each about how up out them then she").split()


def json_records(rng):
    while True:
        record = {"id": rng.randrange(1 << 31), "name": rng.choice(WORDS).title() + " Müller", "price": rng.random(),
                  "tags": rng.sample(WORDS, 3), "note": "naïve 漢字"}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def image_rows(rng):
    level = 128
    while True:
        level = (level + rng.randrange(-9, 10)) % 256
        yield bytes((level + rng.randrange(4)) % 256 for _ in range(512))


def sentences(rng):
    while True:
        yield (" ".join(rng.choices(WORDS, range(len(WORDS), 0, -1), k=12)) + ". ").encode()


def page_elements(rng):
    while True:
        target = f"/{rng.choice(WORDS)}/{rng.randrange(999)}"
        yield f'<li class="item c{rng.randrange(9)}"><a href="{target}">{rng.choice(WORDS)} …</a></li>\n'


def document_parts(rng):
    for words in sentences(rng):
        yield words
        yield rng.randbytes(1000)  # streams that are compressed already


KINDS = [(TEXT, json_records), (BINARY, image_rows), (BINARY, sentences), (TEXT, page_elements),
         (BINARY, document_parts)]


@functools.cache
def data_of(make):
    """The data of one kind: text as str, so that no message begins or ends within a character."""
    parts, size = [], 0
    for part in make(random.Random(1)):
        parts.append(part)
        size += len(part)
        if size >= DATA_BYTES:
            return ("" if isinstance(part, str) else b"").join(parts)


@dataclasses.dataclass
class Case:
    number: str
    offers: str
    opcode: int
    make: object
    size: int
    fragment_bytes: object

    def payloads(self):
        data = data_of(self.make)
        doubled = data + data
        for begin in itertools.count(0, self.size):
            at = begin % len(data)
            piece = doubled[at : at + self.size]
            yield piece.encode() if isinstance(piece, str) else piece


def cases():
    for kind, (opcode, make) in enumerate(KINDS, 1):
        for at, (size, fragment_bytes) in enumerate(SIZES, 1):
            yield Case(f"12.{kind}.{at}", OFFERS[0], opcode, make, size, fragment_bytes)
    for offer, offers in enumerate(OFFERS, 1):
        for at, (size, fragment_bytes) in enumerate(SIZES, 1):
            yield Case(f"13.{offer}.{at}", offers, *KINDS[0], size, fragment_bytes)


def parameters(element):
    return {name: value for name, _, value in (part.strip().partition("=") for part in element.split(";")[1:])}


def check_accepted(accepted, offers, keeps_context):
    """RFC 7692 section 7.1: the response grants what one of the offers requests."""
    granted = parameters(accepted)
    for offer in map(parameters, offers.split(",")):
        window = int(offer.get("server_max_window_bits", 15))
        if "server_no_context_takeover" in offer and "server_no_context_takeover" not in granted:
            continue
        if window < 15 and int(granted.get("server_max_window_bits", 15)) > window:
            continue
        break
    else:
        raise AssertionError(f"'{accepted}' grants no offer of '{offers}'")
    if not keeps_context:
        assert "server_no_context_takeover" in granted and "client_no_context_takeover" in granted, accepted
