# SPDX-License-Identifier: MIT
"""The cases of categories 1 to 7, by the numbers of the Autobahn test suite: what a client sends to a server that
echoes, and what it must receive. README.md has the sentences of RFC 6455 that decide them."""

import dataclasses
import struct

from peer import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, encode

PER_FRAME = "per frame"
BYTEWISE = 1


@dataclasses.dataclass
class Case:
    """`steps` are frames to send and Await objects. `chop`: None sends adjacent frames at once, PER_FRAME one by one, a
    number so many bytes at a time. `closes`: the codes of which the server's Close must have one, without a Close from
    the runner; None in it is a Close without a code. Without `closes` the runner performs the closing handshake."""

    number: str
    steps: list
    receives: list = dataclasses.field(default_factory=list)
    closes: tuple = ()
    chop: object = None


@dataclasses.dataclass
class Await:
    """Waits for this event before the next step."""

    opcode: int
    payload: bytes


def text(payload, fin=True, rsv=0):
    return encode(TEXT, payload, fin, rsv)


def binary(payload, fin=True, rsv=0):
    return encode(BINARY, payload, fin, rsv)


def more(payload, fin=True):
    return encode(CONTINUATION, payload, fin)


def ping(payload=b""):
    return encode(PING, payload)


def pong(payload=b""):
    return encode(PONG, payload)


def close(code=None, reason=b""):
    return encode(CLOSE, (b"" if code is None else struct.pack("!H", code)) + reason)


def framing():
    sizes = (0, 125, 126, 127, 128, 65535, 65536, 65536)
    for group, opcode, byte in ((1, TEXT, b"t"), (2, BINARY, b"\xfe")):
        for at, size in enumerate(sizes, 1):
            chop = 997 if at == len(sizes) else None
            yield Case(f"1.{group}.{at}", [encode(opcode, byte * size)], [(opcode, byte * size)], chop=chop)


def pings():
    for at, payload in enumerate((b"", b"Are you there?", b"\0\xff\xfe\xfd\xfc\xfb\0\xff", b"\xfe" * 125), 1):
        yield Case(f"2.{at}", [ping(payload)], [(PONG, payload)])
    yield Case("2.5", [ping(b"\xfe" * 126)], closes=(1002,))
    yield Case("2.6", [ping(b"\xfe" * 125)], [(PONG, b"\xfe" * 125)], chop=BYTEWISE)
    yield Case("2.7", [pong()])
    yield Case("2.8", [pong(b"unsolicited")])
    yield Case("2.9", [pong(b"unsolicited"), ping(b"asked")], [(PONG, b"asked")])
    for number, chop in (("2.10", None), ("2.11", BYTEWISE)):
        payloads = [b"number %d" % at for at in range(10)]
        yield Case(number, [ping(each) for each in payloads], [(PONG, each) for each in payloads], chop=chop)


def reserved_bits():
    first, echo = text(b"before"), [(TEXT, b"before")]
    yield Case("3.1", [text(b"reserved", rsv=1)], closes=(1002,))
    for number, rsv, chop in (("3.2", 2, None), ("3.3", 3, PER_FRAME), ("3.4", 4, BYTEWISE)):
        yield Case(number, [first, text(b"reserved", rsv=rsv), ping()], echo, (1002,), chop)
    yield Case("3.5", [binary(b"\0\xff\xfe", rsv=5)], closes=(1002,))
    yield Case("3.6", [encode(PING, b"reserved", rsv=6)], closes=(1002,))
    yield Case("3.7", [encode(CLOSE, rsv=7)], closes=(1002,))


def opcodes():
    first, echo = text(b"before"), [(TEXT, b"before")]
    for group, opcode in ((1, 3), (2, 11)):
        yield Case(f"4.{group}.1", [encode(opcode)], closes=(1002,))
        yield Case(f"4.{group}.2", [encode(opcode + 1, b"reserved")], closes=(1002,))
        yield Case(f"4.{group}.3", [first, encode(opcode + 2), ping()], echo, (1002,))
        yield Case(f"4.{group}.4", [first, encode(opcode + 3, b"reserved"), ping()], echo, (1002,))
        yield Case(f"4.{group}.5", [first, encode(opcode + 4, b"reserved"), ping()], echo, (1002,), BYTEWISE)


def fragmentation():
    yield Case("5.1", [encode(PING, b"one", fin=False), more(b"two")], closes=(1002,))
    yield Case("5.2", [encode(PONG, b"one", fin=False), more(b"two")], closes=(1002,))
    chops = (None, PER_FRAME, BYTEWISE)
    for at, chop in enumerate(chops):
        yield Case(f"5.{3 + at}", [text(b"one", fin=False), more(b"two")], [(TEXT, b"onetwo")], chop=chop)
    for at, chop in enumerate(chops):
        yield Case(f"5.{6 + at}", [text(b"one", fin=False), ping(b"between"), more(b"two")],
                   [(PONG, b"between"), (TEXT, b"onetwo")], chop=chop)
    for begin, fin in ((9, True), (12, False)):
        for at, chop in enumerate(chops):
            yield Case(f"5.{begin + at}", [more(b"of nothing", fin), text(b"after")], closes=(1002,), chop=chop)
    yield Case("5.15", [text(b"one", fin=False), more(b"two"), more(b"three", fin=False), text(b"four")],
               [(TEXT, b"onetwo")], (1002,))
    for number, fin in (("5.16", False), ("5.17", True)):
        yield Case(number, [more(b"one", fin), text(b"two", fin=False), more(b"three")] * 2, closes=(1002,))
    yield Case("5.18", [text(b"one", fin=False), text(b"two")], closes=(1002,))
    for number, chop in (("5.19", None), ("5.20", PER_FRAME)):
        yield Case(number, [text(b"1", fin=False), more(b"2", fin=False), ping(b"first"), Await(PONG, b"first"),
                            more(b"3", fin=False), more(b"4", fin=False), ping(b"second"), more(b"5")],
                   [(PONG, b"first"), (PONG, b"second"), (TEXT, b"12345")], chop=chop)


GREEK = "κ\u1f79σμε".encode()
MIXED = "Grüße, 世界 and 🌍: µ@ß".encode()


def is_utf8(payload):
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


def text_case(number, payload, frame_bytes=None):
    size = frame_bytes or len(payload)
    steps = [encode(CONTINUATION if begin else TEXT, payload[begin : begin + size], begin + size >= len(payload))
             for begin in range(0, len(payload), size)]
    return Case(number, steps, [(TEXT, payload)]) if is_utf8(payload) else Case(number, steps, closes=(1007,))


def utf8_fragments():
    yield Case("6.1.1", [text(b"")], [(TEXT, b"")])
    yield Case("6.1.2", [text(b"", fin=False), more(b"", fin=False), more(b"")], [(TEXT, b"")])
    yield Case("6.1.3", [text(b"", fin=False), more(b"middle", fin=False), more(b"")], [(TEXT, b"middle")])
    yield text_case("6.2.1", MIXED)
    at = MIXED.index("世".encode())
    yield Case("6.2.2", [text(MIXED[:at], fin=False), more(MIXED[at:])], [(TEXT, MIXED)])
    yield text_case("6.2.3", MIXED, 1)
    yield text_case("6.2.4", GREEK, 1)
    yield text_case("6.3.1", GREEK + b"\xed\xa0\x80edited")
    yield text_case("6.3.2", GREEK + b"\xed\xa0\x80edited", 1)


def fail_fast():
    """6.4: the connection fails at the first byte that cannot be part of UTF-8, before the message is complete. The
    pong proves that the valid beginning was accepted; in the middle of a frame there can be none."""
    whole = GREEK + b"\xf4\x90\x80\x80" + b"edited"
    for number, end in (("6.4.1", len(GREEK) + 4), ("6.4.2", len(GREEK) + 2)):
        yield Case(number, [text(whole[: len(GREEK)], fin=False), ping(b"fine"), Await(PONG, b"fine"),
                            more(whole[len(GREEK) : end], fin=False)], [(PONG, b"fine")], (1007,))
    frame = text(whole)
    for number, end in (("6.4.3", len(GREEK) + 4), ("6.4.4", len(GREEK) + 2)):
        head = len(frame) - len(whole)
        yield Case(number, [frame[: head + len(GREEK)], frame[head + len(GREEK) : head + end]], closes=(1007,),
                   chop=PER_FRAME)


# Markus Kuhn's UTF-8 stress test, in the groups 6.5 to 6.23. Python's strict decoder tells which are valid.
UTF8_GROUPS = [
    [b"a$b", b"a\xc2\xa2b", b"a\xe2\x82\xacb", b"a\xf0\xa4\xad\xa2b", GREEK],
    [GREEK[:size] for size in range(1, len(GREEK) + 1)],
    [b"\0", b"\xc2\x80", b"\xe0\xa0\x80", b"\xf0\x90\x80\x80"],  # the first of each length
    [b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80"],
    [b"\x7f", b"\xdf\xbf", b"\xef\xbf\xbf", b"\xf4\x8f\xbf\xbf"],  # the last of each length
    [b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf"],
    [b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80"],
    [b"\x80", b"\xbf", *[(b"\x80\xbf" * 3)[:size] for size in range(2, 7)], bytes(range(0x80, 0xC0))],
    [b"".join(bytes([first, 0x20]) for first in range(begin, end + 1))  # first bytes without continuations
     for begin, end in ((0xC0, 0xDF), (0xE0, 0xEF), (0xF0, 0xF7), (0xF8, 0xFB), (0xFC, 0xFD))],
    TRUNCATED := [b"\xc0", b"\xe0\x80", b"\xf0\x80\x80", b"\xf8\x80\x80\x80", b"\xfc\x80\x80\x80\x80",
                  b"\xdf", b"\xef\xbf", b"\xf7\xbf\xbf", b"\xfb\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf"],
    [b"".join(TRUNCATED)],
    [b"\xfe", b"\xff", b"\xfe\xfe\xff\xff"],
    # Overlong forms.
    [b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf8\x80\x80\x80\xaf", b"\xfc\x80\x80\x80\x80\xaf"],
    [b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xf8\x87\xbf\xbf\xbf", b"\xfc\x83\xbf\xbf\xbf\xbf"],
    [b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xf8\x80\x80\x80\x80", b"\xfc\x80\x80\x80\x80\x80"],
    SURROGATES := [b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xae\x80", b"\xed\xaf\xbf",
                   b"\xed\xb0\x80", b"\xed\xbe\x80", b"\xed\xbf\xbf"],
    [high + low for high in SURROGATES[:4] for low in (SURROGATES[4], SURROGATES[6])],
    [chr(plane << 16 | low).encode() for plane in range(17) for low in (0xFFFE, 0xFFFF)],  # not characters, yet valid
    [chr(code).encode() for code in range(0xFFF9, 0x10000)],
]


def utf8_sequences():
    for group, payloads in enumerate(UTF8_GROUPS, 5):
        for at, payload in enumerate(payloads, 1):
            yield text_case(f"6.{group}.{at}", payload)


VALID_CODES = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)
INVALID_CODES = (0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999)


def closing():
    echoed = [(TEXT, b"Hello")]
    yield Case("7.1.1", [text(b"Hello")], echoed)
    yield Case("7.1.2", [close(1000), close()], closes=(1000,))
    yield Case("7.1.3", [close(1000), ping()], closes=(1000,))
    yield Case("7.1.4", [close(1000), text(b"too late")], closes=(1000,))
    yield Case("7.1.5", [text(b"one", fin=False), close(1000), more(b"two")], closes=(1000,))
    large = b"0123456789abcdef" * (1 << 14)
    yield Case("7.1.6", [text(large), text(b"Hello"), close(1000), ping()], [(TEXT, large), *echoed], (1000,))
    yield Case("7.3.1", [close()], closes=(None,))
    yield Case("7.3.2", [encode(CLOSE, b"a")], closes=(1002,))
    yield Case("7.3.3", [close(1000)], closes=(1000,))
    yield Case("7.3.4", [close(1000, b"Goodbye")], closes=(1000,))
    yield Case("7.3.5", [close(1000, b"*" * 123)], closes=(1000,))
    yield Case("7.3.6", [close(1000, b"*" * 124)], closes=(1002,))
    yield Case("7.5.1", [close(1000, GREEK + b"\xed\xa0\x80edited")], closes=(1007,))
    for at, code in enumerate(VALID_CODES, 1):
        yield Case(f"7.7.{at}", [close(code)], closes=(code,))
    for at, code in enumerate(INVALID_CODES, 1):
        yield Case(f"7.9.{at}", [close(code)], closes=(1002,))
    yield Case("7.13.1", [close(5000)], closes=(1002,))
    yield Case("7.13.2", [close(65535)], closes=(1002,))


def cases():
    for category in (framing, pings, reserved_bits, opcodes, fragmentation, utf8_fragments, fail_fast, utf8_sequences,
                     closing):
        yield from category()
