#!/usr/bin/env python3
"""The examples of the manual pages, each page's in their order, as they stand there.

  examples_test.py BUILD [PAGE...]     of all pages, or of some; ends with 77 if there is no program of Open MPI

Before a page's examples its folder has the files that they name and don't make. What is installed for a whole site (/etc/slurm and
the like) is in that folder, too. Where a page shows what a command prints, behind a line that begins with "$ ", its output is that,
but for numbers: any number stands for any other, and any blanks and line ends for any others. Each example either runs, or is in CANNOT_RUN with
the reason.
"""

import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests/fixtures"
SITE_FOLDERS = ("/etc/slurm", "/shared/huddle", "/var/lib/prometheus/node-exporter")

SLURM = "needs Slurm"
CANNOT_RUN = {
    "huddle-clocks.1": {"clush -a huddle clocks restore": "needs the nodes of a cluster, and root on them"},
    "huddle-doctor.1": {"huddle doctor --nodes 8": SLURM, "huddle doctor": "in a job: " + SLURM},
    "huddle-emit.1": {"mpirun --mca rmaps_rank_file_physical 1 --rankfile rankfile ./app": "needs the hosts n0 and n1"},
    "huddle-energy.1": {"huddle energy record --period 0.1s -o power.csv -- mpirun -n 8 ./app": "needs root, and a sensor of energy"},
    "huddle-machine.1": {
        'sbatch --nodes=8 --exclusive --wrap "huddle machine calibrate -m machine.json -o measured.json"': SLURM,
        "huddle machine power -m /etc/slurm/huddle-machine.json -o /etc/slurm/huddle-machine.json": "needs what nodes observed for days"},
    "huddle-record.1": {"huddle record -o run.cbor -- mpirun -n 2048 ./app": "needs thousands of processes"},
    "huddle-setup.1": {
        "huddle setup --store /shared/huddle --dry-run": SLURM, "huddle setup --store /shared/huddle": SLURM,
        'huddle setup --directory try --topology "package:2 core:8 pu:1" --nodes 4': "ends with the doctor, who " + SLURM},
    "huddle-threads.1": {
        "huddle record --threads pack -- mpirun -n 2 --map-by slot:PE=4 ./app": "needs 8 cores",
        'huddle record --threads pack --teams "$(huddle threads profile.json -m mycluster.json --json | jq -r .teams)" -- mpirun -n 2 --map-by slot:PE=4 ./app':
            "needs 8 cores"},
    "huddle-train.1": {
        "salloc --nodes=8 --exclusive huddle train --run --budget 20m -m machine.json -o model.json": SLURM,
        "huddle train --run -o model.json": "takes an hour"},
    "mpirun-aggregate.1": {
        "mpirun-aggregate -n 64 --hostfile hosts -- ./heat input.nml": "needs 64 cores",
        "MPIRUN=mpirun.mpich mpirun-aggregate -n 64 -f hosts -- ./heat input.nml": "needs 64 cores"},
    "srun-aggregate.1": {
        "srun-aggregate --nodes=8 --ntasks=64 -- ./heat input.nml": SLURM,
        "srun-aggregate --energy-aggregate=auto,slowdown=2% -N8 -n64 -p batch -- ./heat input.nml": SLURM},
}
# Programs that examples pipe into, and that not each machine has.
OTHER_PROGRAMS = ("jq", "zsh", "zstdcat")


def examples_of(page):
    """(command, what the page shows that it prints) of the sections EXAMPLES; nothing shown: None."""
    text = re.search(r"^\.SH EXAMPLES?\n(.*?)(?=^\.SH|\Z)", page.read_text(), re.S | re.M)
    for block in re.findall(r"^\.(?:nf|EX)\n(.*?)^\.(?:fi|EE)", text.group(1) if text else "", re.S | re.M):
        lines = [line for line in block.splitlines() if not line.startswith(".")]
        plain = re.sub(r"\\e\n *", "", "\n".join(lines)).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\").replace("\\&", "")
        command, shown = None, None
        for line in plain.splitlines():
            prompted = re.match(r"[$#] (.*)", line)
            if prompted or shown is None:
                if command:
                    yield command, shown or None
                command, shown = (prompted.group(1), []) if prompted else (line, None)
            else:
                shown.append(line)
        if command:
            yield command, shown or None


def alike(shown, printed):
    def form(text):
        return re.sub(r"\s+", " ", re.sub(r"-?\d+(\.\d+)?", "N", text)).strip()
    return shown is None or form("\n".join(shown)) == form(printed)


def profile_of(folder, name, change=None):
    profile = json.loads((FIXTURES / "profiles/eight-ranks-in-pairs.json").read_text())
    if change:
        change(profile)
    (folder / name).write_text(json.dumps(profile))


def on_nodes(each):
    def change(profile):
        for rank, record in enumerate(profile["rank_records"]):
            record.update(node=f"n{rank // each}", pus=str(rank % each))
    return change


def of_size(ranks):
    def change(profile):
        first = profile["rank_records"][0]
        first["sent"] = {"receiver": [], "size_class": [], "messages": [], "bytes": []}
        first.update(collectives=[], phases=None, periods=None, calls=None)
        profile.update(ranks=ranks, communicators=[], phase_groups=[], rank_records=[
            {**first, "rank": rank, "node": f"n{rank // 4}", "run_time_s": 100 / ranks + ranks, "mpi_time_s": ranks} for rank in range(ranks)])
    return change


def rows(name, folder):
    lines = ["region,N,processes,threads,Time,energy_j" if name != "rows.csv" else "region,size,processes,threads,time_s,energy_j"]
    for size in range(100, 3100, 100):
        for threads in (1, 2, 4, 8, 16):
            time = size ** 1.5 * 1e-4 * (0.1 + 0.9 / threads) * (1 + (size // 100 * 7 + threads) % 5 / 500)
            lines.append(f"solve,{size},4,{threads},{time:.6f},{time * (50 + 10 * threads):.5f}")
    (folder / name).write_text("\n".join(lines) + "\n")


def matrix(folder, name, value):
    (folder / name).write_text("\n".join(",".join("0" if row == column else str(value) for column in range(4)) for row in range(4)) + "\n")


def ring(folder, name, vertices):
    lines = [f"{vertices} {vertices} 001"] + [f"{(v - 1) % vertices + 1} 10 {(v + 1) % vertices + 1} 10" for v in range(vertices)]
    (folder / name).write_text("\n".join(lines) + "\n")


def recorded(folder, arguments):
    subprocess.run(["bash", "-c", f"huddle record --quiet {arguments}"], cwd=folder, check=True, capture_output=True)


def prepare(page, folder):
    """The files that a page's examples name, and that none of them makes."""
    name = page.name
    machine = FIXTURES / "machines/package2-die2-core2-frequencies.json"
    for file in ("machine.json", "mycluster.json", "thin.json", "fat.json", "etc/slurm/huddle-machine.json"):
        if name != "huddle.1" and name != "huddle-machine.1":
            shutil.copy(machine, folder / file)
    if name == "huddle-balance.1":
        recorded(folder, "-- mpirun -n 4 ./app")
    if name in ("huddle-map.1", "huddle-recommend.1", "huddle-show.1"):
        profile_of(folder, "profile.json")
    if name == "huddle-balance.1":
        (folder / "loads.csv").write_text("iteration,rank,load_ms\n" + "".join(f"{i},{rank},{load}\n" for i in range(40) for rank, load in enumerate((10, 6, 8, 5.5))))
    if name == "huddle-emit.1":
        recorded(folder, "-- mpirun -n 2 ./app")
        subprocess.run(["huddle", "recommend", "profile.json", "-m", "machine.json", "--plan", "plan.json"], cwd=folder, check=True, capture_output=True)
    if name == "huddle-explain.1" or name == "huddle-report.1":
        store = folder / "shared/huddle" / USER
        shutil.copytree(FIXTURES / "outcomes/ann", store)
        record = next(store.glob("halo/16/outcome-*-108.0-*"))
        record.write_text(record.read_text().replace('"job": 108', '"job": 4711'))
    if name == "huddle-forecast.1":
        for file in ("rows.csv", "run1.csv", "run2.csv"):
            rows(file, folder)
        for size in (100, 200, 400):
            subprocess.run([ROOT / "tests/aggregator/commands/sized_profile.py", FIXTURES / "profiles/eight-ranks-in-pairs.json", str(size), folder / f"run-{size}.json"], check=True)
            profile = json.loads((folder / f"run-{size}.json").read_text())
            profile["program"]["arguments"] += ["--grid", str(size)]
            (folder / f"run-{size}.json").write_text(json.dumps(profile))
    if name == "huddle-import.1":
        matrix(folder, "bytes.csv", 1000)
        matrix(folder, "counts.csv", 10)
        (folder / "runs").mkdir()
        for rank in range(4):
            shutil.copy(FIXTURES / f"matrices/openmpi-monitoring/level2.{rank}.prof", folder / f"runs/halo.{rank}.prof")
        ring(folder, "app.graph", 128)
    if name == "huddle-map.1":
        ring(folder, "ring.graph", 8)
        profile_of(folder, "profile.json", lambda profile: of_size(16)(profile))
    if name == "huddle-plan.1":
        label = folder / "shared/huddle" / USER / "halo/16"
        label.mkdir(parents=True)
        profile_of(label, "profile-1.json", of_size(16))
        (folder / "request.json").write_text(json.dumps({
            "format": "huddle/plan-request", "version": 1, "user": "ann", "label": "halo", "ranks": 16, "store": str(folder / "shared/huddle"),
            "nodes": 8, "machine": str(folder / "machine.json")}))
    if name == "huddle-recommend.1":
        profile_of(folder, "sparse.json", on_nodes(2))
        profile_of(folder, "packed.json", on_nodes(8))
    if name == "huddle-show.1":
        for ranks in (4, 8, 16):
            profile_of(folder, f"p{ranks}.json", of_size(ranks))
    if name == "huddle-study.1":
        for file in ("jobs.txt", "2025.txt", "2026.txt"):
            (folder / file).write_text((FIXTURES / "sacct/site.txt").read_text().replace("|gpu|", "|large|"))
        subprocess.run(["gzip", "2025.txt"], cwd=folder, check=True)
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "jobs.txt", "-o", "jobs.zst"], cwd=folder, check=True)
    if name == "huddle-threads.1":
        shutil.copy(FIXTURES / "profiles/two-hybrid-ranks.json", folder / "profile.json")
    if name == "huddle-train.1":
        (folder / "runs").mkdir()
        subprocess.run(["bash", "-euc", f". {ROOT}/tests/aggregator/training_profile.sh; training_profiles runs; cp runs/sort-1:1:1.json sparse.json; cp runs/sort-2:2:2.json dense.json"],
                       cwd=folder, check=True)
    if name == "huddle-waitstates.1":
        for trace in ("before", "after"):
            shutil.copytree(FIXTURES / "traces/score-p-ping-pong", folder / trace)


def why_not(command):
    for program in OTHER_PROGRAMS:
        if re.search(rf"\b{program}\b", command) and not shutil.which(program):
            return f"there is no {program}"
    return None


def try_page(page, folder):
    """Lines that say what went wrong."""
    for site in SITE_FOLDERS:
        (folder / site[1:]).mkdir(parents=True)
    # A real program, whatever options an example gives its own.
    (folder / "app").write_text(f"#!/bin/sh\nexec {APP} --size 64 --iterations 30\n")
    (folder / "app").chmod(0o755)
    (folder / "etc/slurm/huddle.toml").write_text(f'[profiles]\ndirectory = "{folder}/shared/huddle"\n')
    (folder / "etc/slurm/plugstack.conf").write_text(f"optional spank_huddle.so policy={folder}/etc/slurm/huddle.toml\n")
    os.environ["SLURM_CONF"] = str(folder / "etc/slurm/slurm.conf")
    examples = list(examples_of(page))
    if page.name == "huddle.toml.5":  # its example is a file
        (folder / "huddle.toml").write_text("\n".join(line for line, _ in examples) + "\n")
        examples = [("huddle policy --policy huddle.toml --partition debug", None)]
    listed = CANNOT_RUN.get(page.name, {})
    for command in listed:
        if command not in [one for one, _ in examples]:
            yield f"{page.name} has no such example, which is said not to run: {command}"
    if all(command in listed for command, _ in examples):
        return
    prepare(page, folder)
    for command, shown in examples:
        if command in listed or why_not(command):
            print(f"{page.name}: not run, {listed.get(command) or why_not(command)}: {command}")
            continue
        typed = command
        for site in SITE_FOLDERS:
            typed = typed.replace(site, f"{folder}{site}")
        shell = "zsh" if typed.endswith("completion zsh)") else "bash"
        began = time.monotonic()
        done = subprocess.run([shell, "-euc", typed], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        print(f"{page.name}: {time.monotonic() - began:.1f} s: {command}", flush=True)
        if done.returncode != 0:
            yield f"{page.name}: {command}: status {done.returncode}: {done.stdout[-500:]}{done.stderr[-1000:]}"
        elif not alike(shown, done.stdout + done.stderr):
            yield f"{page.name}: {command}: it prints\n{done.stdout + done.stderr}"


def main():
    faults = []
    for page in sorted((ROOT / "docs/man").iterdir()):
        if sys.argv[2:] and page.name not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            faults += try_page(page, pathlib.Path(folder))
    for fault in faults:
        print("FAILED:", fault, file=sys.stderr)
    sys.exit(len(faults) > 0)


USER = pwd.getpwuid(os.getuid()).pw_name
BUILD = pathlib.Path(sys.argv[1]).resolve()
APP = BUILD / "programs/halo_exchange"
if not APP.exists() or not shutil.which("mpirun"):
    print("there is no program of Open MPI")
    sys.exit(77)
for variable in ("LD_PRELOAD", "COLUMNS", "SLURM_JOB_ID"):
    os.environ.pop(variable, None)
with tempfile.TemporaryDirectory() as bin_folder:
    for name, target in (("huddle", BUILD / "bin/huddle"), ("mpirun", shutil.which("mpirun.openmpi") or shutil.which("mpirun"))):
        (pathlib.Path(bin_folder) / name).symlink_to(target)
    # As where Slurm keeps no accounts, or there is no Slurm.
    sacct = pathlib.Path(bin_folder) / "sacct"
    sacct.write_text("#!/bin/sh\necho 'Slurm accounting storage is disabled' >&2\nexit 1\n")
    sacct.chmod(0o755)
    os.chmod(bin_folder, 0o755)  # as root, nothing is looked up where others could put programs
    os.environ["PATH"] = f"{bin_folder}:{os.environ['PATH']}"
    for setting in subprocess.run(["bash", "-c", f". {ROOT}/tests/openmpi.sh; env"], capture_output=True, text=True, check=True).stdout.splitlines():
        name, _, value = setting.partition("=")
        if name.startswith(("OMPI_", "PRTE_")):
            os.environ[name] = value
    main()
