# For the scripts beside it, which set -u. They run in a folder of their own, $work.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LC_ALL=C
unset HWLOC_SYNTHETIC HWLOC_XMLFILE SLURM_JOB_NODELIST
work=$(mktemp -d)
chmod 0755 "$work"
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "SKIPPED: $*"
  exit 77
}

# count PATTERN FILE: how many lines of it match
count() {
  grep -cE -- "$1" "$2" || true
}

# holds MACHINE EXPRESSION: a Python expression about the document, called m
holds() {
  python3 -c '
import json, sys
m = json.load(open(sys.argv[1]))
links = {link["distance"]: link for link in m["links"]}
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2" || fail "$1 does not hold $2: $(cat "$1")"
}
