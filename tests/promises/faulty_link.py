# SPDX-License-Identifier: MIT
"""A TCP proxy that behaves like a bad network: it delays, cuts pieces, pauses and resets.

It stands in where the kernel has no netem, and it runs without privileges. It cannot lose packets: a lost packet that TCP
sends again looks to both ends like a delay, which it has.
"""

import asyncio
import contextlib
import random
import socket
import struct
import threading

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close() sends a reset


class FaultyLink:
    """`with FaultyLink(port, ...) as link:` forwards 127.0.0.1:link.port to `port` from a thread of its own.

    delay_seconds     a piece arrives after up to this time
    reset_share       probability that a piece is not forwarded, and that both ends get a reset instead
    cut_share         probability that only the server's end gets a FIN after part of the piece
    piece_bytes_max   pieces have a random length up to this one
    """

    def __init__(self, port, seed, delay_seconds=0.05, reset_share=0.005, cut_share=0.002, piece_bytes_max=3000):
        self.target = port
        self.random = random.Random(seed)
        self.delay_seconds = delay_seconds
        self.reset_share = reset_share
        self.cut_share = cut_share
        self.piece_bytes_max = piece_bytes_max
        self.resets = self.cuts = self.connections = 0
        self.out_until = 0.0  # the cable is out until this time of the loop

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_server(self.forward, sock=self.listener))
        self.loop.run_forever()

    def pull_cable(self, seconds):
        self.loop.call_soon_threadsafe(lambda: setattr(self, "out_until", self.loop.time() + seconds))

    async def forward(self, reader, writer):
        self.connections += 1
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        ends = (writer, to_writer)
        pumps = [asyncio.ensure_future(self.pump(reader, to_writer, ends, True)),
                 asyncio.ensure_future(self.pump(to_reader, writer, ends, False))]
        await asyncio.gather(*pumps, return_exceptions=True)
        for end in ends:
            end.close()

    async def pump(self, reader, writer, ends, to_server):
        with contextlib.suppress(OSError):
            while data := await reader.read(self.random.randint(1, self.piece_bytes_max)):
                await asyncio.sleep(self.delay_seconds * self.random.random())
                await asyncio.sleep(max(0.0, self.out_until - self.loop.time()))
                fate = self.random.random()
                if fate < self.reset_share:
                    self.reset(ends)
                    return
                if to_server and fate < self.reset_share + self.cut_share:
                    self.cuts += 1
                    writer.write(data[:len(data) // 2])
                    break
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()

    def reset(self, ends):
        self.resets += 1
        for end in ends:
            raw = end.get_extra_info("socket")
            with contextlib.suppress(OSError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            end.transport.abort()

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.server.close()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        with contextlib.suppress(Exception):
            self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()
