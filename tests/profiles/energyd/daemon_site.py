"""A huddle-energyd on files in place of a node, with steps of users who need not exist: for the tests beside it, as root."""

import contextlib
import glob
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

GREETING = b"huddle-energyd 1\n"
MOST_BYTES = 1 << 18


def started(pid):
    """When a process was started, in clock ticks."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]


class Site:
    """The place of one daemon, and what it says on standard error."""

    def __init__(self, place, energyd, settings, command=()):
        self.place = place
        self.node = str(place / "node")
        self.socket = str(place / "run" / "socket")
        subprocess.run([pathlib.Path(__file__).parents[2] / "fixtures/nodes/grow", "intel-server", self.node], check=True)
        (place / "run").mkdir()
        (place / "steps").mkdir()
        (place / "huddle.toml").write_text(f"[energy]\n{settings}\n")
        self.counters = [pathlib.Path(name) for name in glob.glob(f"{self.node}/sys/class/powercap/*/energy_uj")]
        self.counts = {counter: int(counter.read_text()) for counter in self.counters}
        self.command = [*command, energyd, "--root", self.node, "--run", place / "run", "--steps", place / "steps",
                        "--policy", place / "huddle.toml"]

    def start(self):
        self.daemon = subprocess.Popen(self.command, stderr=subprocess.PIPE)
        end = time.monotonic() + 20
        while not os.path.exists(self.socket):
            if time.monotonic() > end or self.daemon.poll() is not None:
                self.daemon.kill()
                sys.exit(f"huddle-energyd does not begin: {self.daemon.communicate()[1].decode()}")
            time.sleep(0.02)

    def stop(self):
        """Ends it, and returns its status and what it said."""
        self.daemon.terminate()
        said = self.daemon.communicate()[1].decode()
        return self.daemon.returncode, said

    def announce(self, job, user, pid=None):
        """A step of a user's; this process stands in for its slurmstepd."""
        pid = pid or os.getpid()
        name = f"{job}.0"
        fresh = self.place / ("." + name)
        fresh.write_text(f"huddle step 1\njob {job}\nstep 0\nuser {user}\npus 0-3\nslurmstepd {pid} {started(pid)}\nend\n")
        fresh.rename(self.place / "steps" / name)

    def withdraw(self, job):
        (self.place / "steps" / f"{job}.0").unlink()

    def count(self):
        """The meters go on."""
        for counter in self.counters:
            self.counts[counter] += 1000000
            fresh = counter.with_suffix(".new")
            fresh.write_text(f"{self.counts[counter]}\n")
            fresh.rename(counter)

    def connected(self):
        """Waits where the queue of connections is full."""
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.settimeout(20)
        end = time.monotonic() + 20
        while True:
            try:
                client.connect(self.socket)
                return client
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.001)

    def ask(self, words):
        """The answer; empty if the connection ends without one. One that refuses may be there before the question is sent."""
        with self.connected() as client:
            with contextlib.suppress(BrokenPipeError):
                client.send(GREETING + words + b"\n")
            with contextlib.suppress(ConnectionResetError):
                return client.recv(MOST_BYTES).decode()
            with contextlib.suppress(ConnectionResetError):
                return client.recv(MOST_BYTES).decode()
            return ""


@contextlib.contextmanager
def site(energyd, settings="period = 0.1", command=()):
    """A site whose daemon has to be started."""
    if os.getuid() != 0:
        print("needs root, to be other users")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Site(pathlib.Path(folder), energyd, settings, command)


def become(user, groups=()):
    os.setgroups(list(groups))
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


class As:
    """A process that runs `act` as a user. What it returns, or the error, is `result()`."""

    def __init__(self, user, act, groups=()):
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.reader)
                become(user, groups)
                text = str(act())
            except BaseException as error:  # pylint: disable=broad-except
                text = f"{type(error).__name__}: {error}"
            os.write(writer, text.encode()[:60000])
            os._exit(0)
        os.close(writer)

    def result(self):
        with os.fdopen(self.reader) as said:
            text = said.read()
        os.waitpid(self.pid, 0)
        return text


def as_user(user, act, groups=()):
    return As(user, act, groups).result()


FAILURES = []


def expect(what, is_so, found):
    """A case of a test: says it, and what was found where it is not so."""
    print(f"- {what}")
    if not is_so:
        FAILURES.append(what)
        print(f"  FAILED: {found}")
