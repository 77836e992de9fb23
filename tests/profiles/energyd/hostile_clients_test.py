#!/usr/bin/env python3
"""A thousand hostile clients at once of huddle-energyd: slow, half open, flooding and of a wrong user. Sensors are read in time
all the same, root gets its answer, and nobody gets what is not theirs.

usage: hostile_clients_test.py ENERGYD
"""

import glob
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PERIOD = 0.1  # of the policy below
GREETING = b"huddle-energyd 1\n"
NOBODY = 65534


def connected(path):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.settimeout(5)
    client.connect(path)
    return client


def ask(path, words):
    with connected(path) as client:
        client.send(GREETING + words + b"\n")
        return client.recv(1 << 18).decode()


def attack(path, kind, seconds):
    """Runs in a process of its own, as nobody, with many connections. Says what it got that it should not."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
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
    if os.getuid() != 0:
        print("needs root, to be other users")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        place = pathlib.Path(folder)
        node = str(place / "node")
        subprocess.run([pathlib.Path(__file__).parents[2] / "fixtures/nodes/grow", "intel-server", node], check=True)
        (place / "run").mkdir()
        (place / "steps").mkdir()
        (place / "huddle.toml").write_text(f"[energy]\nperiod = {PERIOD}\n")
        # A step of root's: this process stands in for its slurmstepd.
        started = pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
        (place / "steps" / "17.0").write_text(
            f"huddle step 1\njob 17\nstep 0\nuser 0\npus 0-3\nslurmstepd {os.getpid()} {started}\nend\n")
        daemon = subprocess.Popen([energyd, "--root", node, "--run", place / "run", "--steps", place / "steps",
                                   "--policy", place / "huddle.toml"], stderr=subprocess.PIPE)
        path = str(place / "run" / "socket")
        counters = [pathlib.Path(name) for name in glob.glob(f"{node}/sys/class/powercap/*/energy_uj")]
        counts = {counter: int(counter.read_text()) for counter in counters}
        try:
            while not os.path.exists(path):
                time.sleep(0.02)
            children = []
            for kind in ("slow", "half open", "flooding", "wrong user"):
                child = os.fork()
                if child == 0:
                    os._exit(min(attack(path, kind, 8), 100))
                children.append((kind, child))
            quiet, answers, times = time.monotonic() + 7, 0, []
            while time.monotonic() < quiet:
                for counter in counters:
                    counts[counter] += 1000000
                    fresh = counter.with_suffix(".new")
                    fresh.write_text(f"{counts[counter]}\n")
                    fresh.rename(counter)
                begin = time.monotonic()
                answer = ask(path, b"node")
                times.append(time.monotonic() - begin)
                answers += "sensor\tpackage-0" in answer
                time.sleep(0.05)
            late = lateness(ask(path, b"node"))
            stolen = {kind: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for kind, child in children}
            rss = next(line for line in open(f"/proc/{daemon.pid}/status") if line.startswith("VmRSS"))
        finally:
            daemon.terminate()
            log = daemon.communicate()[1].decode()
        print(f"sampling was late by {late * 1e3:.1f} ms (p99) of a period of {PERIOD * 1e3:.0f} ms; root had {answers} answers, "
              f"{statistics.median(times) * 1e3:.1f} ms in the median, {max(times) * 1e3:.0f} ms at most; {rss.strip()}")
        faults = []
        if late >= PERIOD:
            faults.append(f"sampling was late by {late} s")
        if answers < 20 or answers < len(times):
            faults.append(f"root had {answers} answers of {len(times)}")
        if any(stolen.values()):
            faults.append(f"got what is not theirs: {stolen}")
        if daemon.returncode != 0:
            faults.append(f"the daemon ended with {daemon.returncode}: {log}")
        for fault in faults:
            print(f"FAILED: {fault}")
        return 1 if faults else 0


sys.exit(main())
