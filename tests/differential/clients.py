# SPDX-License-Identifier: MIT
"""Many clients at once, each of which sends one case, sends no more, and reads until the proxy closes."""

import select
import socket
import time

CONNECTIONS_MAX = 128  # at a time
DEADLINE_SECONDS = 8.0
CUT_EVERY = 4  # one case in so many comes in two pieces


def address_of(number):
    """Each client has a loopback address of its own, which names its case in the logs of the proxies."""
    return f"127.{1 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def number_of(address):
    first, second, third = map(int, address.split(".")[1:])
    return (first - 1) << 16 | second << 8 | third


class Client:
    def __init__(self, number, raw, port):
        self.pieces = [raw]
        if number % CUT_EVERY == 0 and len(raw) > 1:
            cut = 1 + number // CUT_EVERY % (len(raw) - 1)
            self.pieces = [raw[:cut], raw[cut:]]
        self.deadline = time.monotonic() + DEADLINE_SECONDS
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.bind((address_of(number), 0))
        self.socket.connect_ex(("127.0.0.1", port))

    def send(self):
        """A piece; returns whether there is another."""
        piece = self.pieces[0]
        sent = self.socket.send(piece)
        if sent < len(piece):
            self.pieces[0] = piece[sent:]
            return True
        del self.pieces[0]
        if self.pieces:
            return True
        self.socket.shutdown(socket.SHUT_WR)
        return False


def replay(cases, port, connections_max=CONNECTIONS_MAX):
    """Of pairs of a number and bytes. Returns how many clients were still waiting for the end at their deadline."""
    poll, clients, waiting = select.epoll(), {}, 0
    numbered = iter(cases)

    def close(fd):
        poll.unregister(fd)
        clients.pop(fd).socket.close()

    def serve(fd, event):
        client = clients[fd]
        try:
            if event & select.EPOLLOUT and not client.send():
                poll.modify(fd, select.EPOLLIN)
            if event & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR) and not client.socket.recv(65536):
                close(fd)
        except BlockingIOError:
            pass
        except OSError:  # reset: as good as closed
            close(fd)

    swept = time.monotonic()
    exhausted = False
    while clients or not exhausted:
        while len(clients) < connections_max and not exhausted:
            number, raw = next(numbered, (None, None))
            if raw is None:
                exhausted = True
                break
            client = Client(number, raw, port)
            clients[client.socket.fileno()] = client
            poll.register(client.socket, select.EPOLLIN | select.EPOLLOUT)
        for fd, event in poll.poll(0.1):
            serve(fd, event)
        if (now := time.monotonic()) > swept + 0.5:
            swept = now
            late = [fd for fd, client in clients.items() if client.deadline < now]
            waiting += len(late)
            for fd in late:
                close(fd)
    return waiting
