#!/usr/bin/env python3
"""A thousand hostile clients at once of huddle-energyd: slow, half open, flooding and of a wrong user. Sensors are read in time
all the same, root gets its answer, and nobody gets what is not theirs.

usage: hostile_clients_test.py ENERGYD
"""

import os
import socket
import statistics
import sys
import time

from daemon_site import become, GREETING, site

PERIOD = 0.1
NOBODY = 65534
KINDS = ("slow", "half open", "flooding", "wrong user")


def attack(path, user, kind, seconds):
    """Runs in a process of its own, as a user, with many connections. Says what it got that it should not."""
    become(user)
    clients, stolen, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if len(clients) < 250:
                client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                client.setblocking(False)
                client.connect(path)
                clients.append(client)
        except OSError:
            time.sleep(0.001)
        for client in list(clients):
            try:
                if kind == "slow":
                    client.send(GREETING)  # never a whole request
                elif kind == "half open":
                    client.shutdown(socket.SHUT_RD)
                    client.send(GREETING + b"own\n")
                elif kind == "flooding":
                    client.send(GREETING + b"own\n" if len(clients) % 2 else os.urandom(4000))
                else:
                    client.send(GREETING + b"node\n")
                    client.send(GREETING + b"job 17\n")
                    answer = client.recv(1 << 18).decode()
                    stolen += "sensor\t" in answer or "share\t" in answer
            except BlockingIOError:
                pass
            except OSError:
                client.close()
                clients.remove(client)
        time.sleep(0.002)
    return stolen


def lateness(answer):
    return float(next(line.split("\t")[1] for line in answer.splitlines() if line.startswith("lateness")))


def main():
    energyd = sys.argv[1]
    with site(energyd, f"period = {PERIOD}") as here:
        path = here.socket
        here.announce(17, 0)
        # Those without a step don't get in: so each attack is made by one who has one, and one by one who has none.
        attackers = [(NOBODY, "flooding")]
        for job, kind in enumerate(KINDS, 18):
            here.announce(job, NOBODY + job)
            attackers.append((NOBODY + job, kind))
        here.start()
        try:
            children = []
            for user, kind in attackers:
                child = os.fork()
                if child == 0:
                    os._exit(min(attack(path, user, kind, 8), 100))
                children.append((f"{kind}, user {user}", child))
            quiet, answers, times = time.monotonic() + 7, 0, []
            while time.monotonic() < quiet:
                here.count()
                begin = time.monotonic()
                answer = here.ask(b"node")
                times.append(time.monotonic() - begin)
                answers += "sensor\tpackage-0" in answer
                time.sleep(0.05)
            late = lateness(here.ask(b"node"))
            stolen = {kind: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for kind, child in children}
            rss = next(line for line in open(f"/proc/{here.daemon.pid}/status") if line.startswith("VmRSS"))
        finally:
            status, log = here.stop()
        print(f"sampling was late by {late * 1e3:.1f} ms (p99) of a period of {PERIOD * 1e3:.0f} ms; root had {answers} answers, "
              f"{statistics.median(times) * 1e3:.1f} ms in the median, {max(times) * 1e3:.0f} ms at most; {rss.strip()}")
        faults = []
        if late >= PERIOD:
            faults.append(f"sampling was late by {late} s")
        if answers < 20 or answers < len(times):
            faults.append(f"root had {answers} answers of {len(times)}")
        if any(stolen.values()):
            faults.append(f"got what is not theirs: {stolen}")
        if status != 0:
            faults.append(f"the daemon ended with {status}: {log}")
        for fault in faults:
            print(f"FAILED: {fault}")
        return 1 if faults else 0


sys.exit(main())
