# SPDX-License-Identifier: MIT
"""Ports of 127.0.0.1 for those that cannot choose their own."""

import contextlib
import random
import socket

BELOW_THE_EPHEMERAL = range(20_000, 32_000)  # no connection takes its own port there (ip_local_port_range, ip(7))


def free_port():
    """For a server that is about to listen there."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.choice(BELOW_THE_EPHEMERAL)))
            return probe.getsockname()[1]


@contextlib.contextmanager
def refusing_port():
    """A port that refuses connections, and that no other socket can listen on while it lasts."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
