# SPDX-License-Identifier: MIT
"""Between a proxy and the back end: passes bytes on, and remembers what each connection said."""

import asyncio
import json
import re
import signal
import subprocess
import sys

ID = re.compile(rb"\r\nx-front-id: ([0-9a-f-]{32,36})\r\n", re.IGNORECASE)
ANSWER = re.compile(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n", re.DOTALL)
SEEN = re.compile(rb"^x-seen: (.*?)\r?$", re.IGNORECASE | re.MULTILINE)
CLOSES = re.compile(rb"^connection: close\r?$", re.IGNORECASE | re.MULTILINE)

END_BYTES = 1000  # of a connection's requests, to look at


def told(requests, answers):
    """What a connection said: the ids of the proxy's requests, the final answers, and how the requests' bytes end."""
    finals = []
    for status, fields in ANSWER.findall(answers):
        if status[:1] == b"1":
            continue
        seen = SEEN.search(fields)
        text = seen[1].decode("latin-1") if seen else None
        finals.append({"status": int(status), "seen": text, "closes": CLOSES.search(fields) is not None})
    ids = [found.decode() for found in ID.findall(requests)]
    return {"ids": ids, "answers": finals, "end": repr(bytes(requests[-END_BYTES:]))}


class Side(asyncio.Protocol):
    """One of a connection's two ends. Bytes that come before the other end is there wait for it."""

    def __init__(self):
        self.received = bytearray()
        self.passed = 0
        self.ended = False
        self.transport = None
        self.other = None

    def connection_made(self, transport):
        self.transport = transport
        self.other.pass_on()

    def data_received(self, data):
        self.received += data
        self.pass_on()

    def eof_received(self):
        self.ended = True
        self.pass_on()
        return True

    def connection_lost(self, _):
        if self.other.transport:
            self.other.transport.close()

    def pass_on(self):
        to = self.other.transport
        if to is None or to.is_closing():
            return
        if self.passed < len(self.received):
            to.write(bytes(memoryview(self.received)[self.passed :]))
            self.passed = len(self.received)
        if self.ended and self.other.ended:
            to.close()  # each once all of it is written
            self.transport.close()
        elif self.ended:
            to.write_eof()


class Tap:
    def __init__(self, back_port):
        self.back_port = back_port
        self.connections = []

    def accept(self):
        front, back = Side(), Side()
        front.other, back.other = back, front
        self.connections.append((front, back))
        asyncio.get_running_loop().create_task(self.connect(front, back))
        return front

    async def connect(self, front, back):
        try:
            await asyncio.get_running_loop().create_connection(lambda: back, "127.0.0.1", self.back_port)
        except OSError:
            front.transport.close()

    async def run(self):
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        server = await loop.create_server(self.accept, "127.0.0.1", 0, backlog=1024)
        print(server.sockets[0].getsockname()[1], flush=True)
        await ended.wait()
        server.close()
        for front, back in self.connections:
            print(json.dumps(told(front.received, back.received)))


class TapProcess:
    """`with TapProcess(back_port) as tap:` has tap.port; tap.end() returns what each connection said."""

    def __init__(self, back_port):
        self.command = [sys.executable, __file__, str(back_port)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        return self

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=60)
        return [json.loads(line) for line in out.splitlines()]

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()


if __name__ == "__main__":
    asyncio.run(Tap(int(sys.argv[1])).run())
