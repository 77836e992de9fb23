#!/usr/bin/env python3
"""Runs a command on a terminal of its own and presses Ctrl-C there, twice (as srun wants it), once FILE says "ready".
Succeeds if FILE then says "interrupted" and the command ends with a status other than 0.

usage: press_control_c.py FILE COMMAND [ARGUMENT...]"""
import os
import pty
import sys
import time

said, command = sys.argv[1], sys.argv[2:]


def content():
    try:
        with open(said) as file:
            return file.read().strip()
    except OSError:
        return ""


def wait_for(word, seconds):
    deadline = time.monotonic() + seconds
    while content() != word and time.monotonic() < deadline:
        time.sleep(0.05)
    return content() == word


child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
if not wait_for("ready", 40):
    sys.exit("the program did not begin: " + os.read(terminal, 4096).decode(errors="replace"))
time.sleep(0.5)
for _ in range(2):
    os.write(terminal, b"\x03")
    time.sleep(0.2)
noticed = wait_for("interrupted", 15)
try:
    while output := os.read(terminal, 4096):
        sys.stdout.write(output.decode(errors="replace"))
except OSError:  # the terminal's other side is closed
    pass
_, status = os.waitpid(child, 0)
if not noticed:
    sys.exit("the program did not get the signal")
if status == 0:
    sys.exit("the command succeeded all the same")
