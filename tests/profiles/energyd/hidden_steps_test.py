#!/usr/bin/env python3
"""Where /proc is mounted with hidepid, huddle-energyd says that it sees no steps, and so does huddle doctor; and it sees them once it
is in the group of that mount, as the drop-in of its unit puts it there.

usage: hidden_steps_test.py ENERGYD
"""

import json
import pathlib
import subprocess
import sys
import time

from daemon_site import as_user, expect, FAILURES, site

ALICE, DAEMON, GROUP = 71001, 71100, 71200


def with_mounts(mounts, groups):
    """A command in front of the daemon's: a mount namespace of its own, and the rights of the unit."""
    rights = f"setpriv --reuid {DAEMON} --regid {DAEMON} {groups} --inh-caps +dac_read_search --ambient-caps +dac_read_search"
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{mounts} && exec {rights} -- "$@"', "sh"]


def energy_finding(huddle, here, user):
    """What huddle doctor says of energy to a user, where the site's daemon is the node's."""
    mounts = f"mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/huddle-energyd && mount --bind {here.place}/run /run/huddle-energyd"
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{mounts} && exec "$@"', "sh", "setpriv", "--reuid",
               str(user), "--regid", str(user), "--clear-groups", huddle, "doctor", "--node", "--json"]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    findings = json.loads(said.stdout)["findings"]
    return next(one for one in findings if one["check"] == "energy")


def job_17(here):
    """What Alice gets to know of her step, once the daemon had time to see it."""
    end = time.monotonic() + 5
    while True:
        answer = as_user(ALICE, lambda: here.ask(b"job 17"))
        if "step\t17\t" in answer or time.monotonic() > end:
            return answer
        time.sleep(0.1)


def daemon_with(energyd, mounts, groups):
    return site(energyd, command=with_mounts(mounts, groups))


def main():
    energyd = str(pathlib.Path(sys.argv[1]).resolve())
    huddle = str(pathlib.Path(energyd).parent / "huddle")
    hidden = f"mount -t proc -o hidepid=2,gid={GROUP} proc /proc"
    if subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", hidden], check=False).returncode != 0:
        print("needs to mount /proc anew")
        return 77
    with daemon_with(energyd, hidden, "--clear-groups") as here:
        subprocess.run(["chown", str(DAEMON), here.place / "run"], check=True)
        here.start()
        here.announce(17, ALICE)
        answer = job_17(here)
        expect("a user is told that nobody sees steps", "refused\t/proc, which is mounted with hidepid=" in answer, answer)
        for user in (0, ALICE):
            finding = energy_finding(huddle, here, user)
            expect(f"the doctor warns {'root' if user == 0 else 'a user'} of it",
                   finding["verdict"] == "warning" and "hidepid=" in finding["what"]
                   and f"SupplementaryGroups={GROUP}" in finding["advice"], finding)
        _, log = here.stop()
        expect("the log says it once, and what to do", log.count("hidepid=") == 1 and f"SupplementaryGroups={GROUP}" in log, log)
    for what, mounts, groups in (("in the group of the mount it sees steps", hidden, f"--groups {GROUP}"),
                                 ("so it does where /proc hides nothing", "true", "--clear-groups")):
        with daemon_with(energyd, mounts, groups) as here:
            subprocess.run(["chown", str(DAEMON), here.place / "run"], check=True)
            here.start()
            here.announce(17, ALICE)
            answer = job_17(here)
            expect(what, "step\t17\t0\t71001\tyes" in answer, answer)
            for user in (0, ALICE, 71002):
                finding = energy_finding(huddle, here, user)
                expect(f"and the doctor says to user {user} that all is well", finding["verdict"] == "ok", finding)
            _, log = here.stop()
            expect("and the log nothing of it", "/proc" not in log, log)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
