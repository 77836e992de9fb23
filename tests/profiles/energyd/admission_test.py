#!/usr/bin/env python3
"""Who gets in at the socket of huddle-energyd: users with steps, whatever others hold; and readers, whatever groups they are in.

usage: admission_test.py ENERGYD
"""

import grp
import os
import pathlib
import socket
import sys
import time

from daemon_site import As, as_user, expect, FAILURES, GREETING, site
from socket_holder import holding

ALICE, BOB, CAROL = 71001, 71002, 71003
ROGUES = range(72000, 72009)


def until(looks):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        found = looks()
        if found:
            return found
        time.sleep(0.05)
    return None


def job_of(here, user, job):
    answer = as_user(user, lambda: here.ask(f"job {job}".encode()))
    return answer if f"step\t{job}\t" in answer else None


def held_while(here, users, most, busy, look):
    with holding(here.socket, users, most, busy):
        return look()


def missing_answers(here, user, job):
    """What the user gets in place of an answer, in 15 attempts."""
    said = [as_user(user, lambda: here.ask(f"job {job}".encode())) for _ in range(15)]
    return [answer for answer in said if f"step\t{job}\t" not in answer]


def admitted(energyd):
    with site(energyd) as here:
        here.start()
        here.announce(17, ALICE)
        expect("a user with a step is answered", until(lambda: job_of(here, ALICE, 17)), "no answer")
        said = as_user(BOB, lambda: here.ask(b"own"))
        expect("a user without one is told why not", "refused\tyou have no step on this node" in said, said)
        missing = held_while(here, ROGUES, 64, False, lambda: missing_answers(here, ALICE, 17))
        expect("users without steps who hold the socket shut nobody out", not missing, missing)
        root = held_while(here, ROGUES, 64, True, lambda: sum("sensor\t" in here.ask(b"node") for _ in range(20)))
        expect("nor do they root", root == 20, f"{root} of 20 answers")
        for job, user in enumerate(ROGUES, 100):
            here.announce(job, user)
        until(lambda: job_of(here, ROGUES[-1], 99 + len(ROGUES)))
        for busy in (False, True):
            missing = held_while(here, ROGUES, 64, busy, lambda: missing_answers(here, ALICE, 17))
            expect(f"nor do users with steps who hold more connections than there are, {'and ask' if busy else 'silently'}",
                   not missing, missing)
        here.withdraw(17)
        ended = until(lambda: "step\t17\t0\t71001\tno" in (job_of(here, ALICE, 17) or ""))
        expect("a step's user is answered after its end", ended, job_of(here, ALICE, 17))
        here.stop()
        here.start()
        expect("also by the next daemon", until(lambda: job_of(here, ALICE, 17)), "no answer")
        status, log = here.stop()
        expect("the daemon ends well", status == 0, log)


def first_questions(energyd):
    """A task may ask as soon as its step is announced."""
    with site(energyd) as here:
        here.start()
        refused = 0
        for job in range(1000, 1100):
            user = 80000 + job
            gate, go = os.pipe()
            asks = As(user, lambda: (os.read(gate, 1), here.ask(f"job {job}".encode()))[1])
            here.announce(job, user)
            os.write(go, b"x")
            os.close(go)
            os.close(gate)
            refused += f"step\t{job}\t" not in asks.result()
        expect("a task's first question is answered, however soon it comes", refused == 0, f"{refused} of 100 were not answered")
        here.stop()


def readers(energyd):
    group = grp.getgrnam("daemon")
    with site(energyd, f'period = 0.1\nreaders = "{group.gr_name}"') as here:
        here.start()
        few = as_user(CAROL, lambda: here.ask(b"node"), [group.gr_gid])
        expect("who is in the group of readers gets to know the node, without a step", "sensor\tpackage-0" in few, few)
        many = as_user(CAROL, lambda: here.ask(b"node"), [group.gr_gid, *range(90000, 90400)])
        expect("also who is in 400 others", "sensor\tpackage-0" in many, many)
        none = as_user(CAROL, lambda: here.ask(b"node"), range(90000, 90400))
        expect("who is in others alone does not", "refused\t" in none, none)
        here.stop()
    with site(energyd, 'period = 0.1\nreaders = "all"') as here:
        here.start()
        here.announce(17, ALICE)
        until(lambda: job_of(here, ALICE, 17))
        missing = held_while(here, ROGUES, 64, False, lambda: missing_answers(here, ALICE, 17))
        expect("where all are readers nobody is shut out, either", not missing, missing)
        here.stop()


def unread(energyd):
    """Answers that nobody reads are memory of the daemon's, also after it has ended their connections."""
    with site(energyd) as here:
        here.start()
        here.announce(17, ALICE)
        until(lambda: job_of(here, ALICE, 17))

        def leave_answers():
            kept = []
            end = time.monotonic() + 4
            while time.monotonic() < end:
                client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                client.settimeout(1)
                try:
                    client.connect(here.socket)
                    client.send(GREETING + b"own\n")
                except OSError:
                    pass
                kept.append(client)
                if len(kept) > 900:
                    break
            time.sleep(0.3)
            held = 0
            for client in kept:
                client.setblocking(False)
                try:
                    held += client.recv(1 << 18) != b""
                except OSError:
                    try:
                        held += client.recv(1 << 18) != b""
                    except OSError:
                        pass
            return held

        held = as_user(ALICE, leave_answers)
        expect("who does not read answers is soon given none", held.isdigit() and 0 < int(held) < 400, held)
        here.stop()


def main():
    energyd = pathlib.Path(sys.argv[1]).resolve()
    admitted(energyd)
    first_questions(energyd)
    readers(energyd)
    unread(energyd)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
