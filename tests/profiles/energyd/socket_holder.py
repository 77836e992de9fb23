#!/usr/bin/env python3
"""Users who hold as many connections to a huddle-energyd as they get: for tests, as root.

usage: socket_holder.py SOCKET, until it is killed; it prints a line once they hold them
"""

import contextlib
import os
import signal
import socket
import sys
import time

from daemon_site import become, GREETING


class Holder:
    """A user's process, whose connections are silent ones or such that ask."""

    def __init__(self, path, user, most, busy):
        self.ready, said = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.ready)
            try:
                become(user)
                self.hold(path, most, busy, said)
            finally:
                os._exit(0)
        os.close(said)

    @staticmethod
    def hold(path, most, busy, said):
        clients = []
        begin, asking = time.monotonic(), 0
        while True:
            try:
                if len(clients) < most:
                    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                    client.setblocking(False)
                    client.connect(path)
                    clients.append(client)
            except OSError:
                time.sleep(0.001)
            # Who is refused never has them.
            if said is not None and (len(clients) == most or time.monotonic() > begin + 1):
                os.write(said, b"x")
                said = None
            # Who sends nothing loses a connection in time, and gets another one.
            asking += 1
            for number, client in enumerate(list(clients)):
                try:
                    # About as often as its user is answered: it is not to take all of the machine.
                    if busy and number == asking % most:
                        client.send(GREETING + b"own\n")
                    if client.recv(1 << 18) == b"":
                        raise ConnectionResetError
                except BlockingIOError:
                    pass
                except OSError:
                    client.close()
                    clients.remove(client)
            time.sleep(0.005)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.ready)


@contextlib.contextmanager
def holding(path, users, most, busy):
    """They hold them meanwhile."""
    holders = [Holder(path, user, most, busy) for user in users]
    for holder in holders:
        os.read(holder.ready, 1)
    try:
        yield
    finally:
        for holder in holders:
            holder.end()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with holding(sys.argv[1], range(72000, 72008), 64, False):
        print("held", flush=True)
        signal.pause()
