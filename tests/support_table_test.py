#!/usr/bin/env python3
"""The versions in docs/slurm-versions.md are those that this machine's release of Debian has.

  support_table_test.py ROOT     ends with 77 on another system
"""

import pathlib
import re
import subprocess
import sys

PACKAGES = {"Slurm": ["slurmctld"], "Open MPI": ["openmpi-bin"], "PMIx": ["libpmix2", "libpmix2t64"], "MPICH": ["mpich"],
            "g++": ["g++"], "hwloc": ["libhwloc15"], "fmt": ["libfmt-dev"], "toml++": ["libtomlplusplus-dev"],
            "OTF2": ["libotf2-trace-dev"]}


def version_of(packages):
    done = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}\n", *packages], capture_output=True, text=True)
    found = [line for line in done.stdout.split("\n") if line]
    # Without an epoch; "4.3.0+really4.2.1-1" is 4.2.1.
    return re.sub(r"^\d+:|^.*really", "", found[0]) if found else None


def main():
    system = pathlib.Path("/etc/os-release").read_text()
    # Debian's testing release has a name, and no number yet.
    release = re.search(r'^VERSION_ID="?(\d+)', system, re.M) or re.search("(14)", "14" if "CODENAME=forky" in system else "")
    if "ID=debian" not in system or not release:
        print("this is no Debian")
        sys.exit(77)
    text = (pathlib.Path(sys.argv[1]) / "docs/slurm-versions.md").read_text()
    first_table = re.search(r"(?:^\|.*\n)+", text, re.M)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in first_table.splitlines()]
    column = next((i for i, cell in enumerate(rows[0]) if re.match(rf"Debian {release[1]}\b", cell)), None)
    if column is None:
        print(f"docs/slurm-versions.md says nothing of Debian {release[1]}")
        sys.exit(1)
    wrong = checked = 0
    for row in rows[2:]:
        names, versions = row[0].split(", "), row[column].split(", ")
        for name, version in zip(names, versions, strict=True):
            here = version_of(PACKAGES[name])
            if here is None:
                print(f"{name} is not installed")
                continue
            checked += 1
            if not re.match(re.escape(version) + r"(?![0-9])", here):
                wrong += 1
                print(f"{name} is {here} here, and {version} in docs/slurm-versions.md")
    sys.exit(1 if wrong or not checked else 0)


main()
