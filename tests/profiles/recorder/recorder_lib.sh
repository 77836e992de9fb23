# shellcheck shell=bash
# For the scripts beside this file: runs MPI programs with and without the recorder, and compares. To be sourced.
# From the environment: RECORDER, the library to preload; COMPARE, compare_matrix; MPI, openmpi (the default) or mpich, or abi-openmpi
# or abi-mpich for programs of MPI's standard ABI, with ABI_OPENMPI or ABI_MPICH, the library that they are run with.
set -u
: "${RECORDER:?}" "${COMPARE:?}" "${MPI:=openmpi}"

# As many ranks as a case wants, on as few processors as there are, side by side with other tests.
. "$(dirname "${BASH_SOURCE[0]}")/../../openmpi.sh"
unset LD_PRELOAD HUDDLE_PROFILE HUDDLE_STORE HUDDLE_LABEL
unset SLURM_JOB_ID SLURM_STEP_ID
# A job of Slurm is what some tests pretend to be in; PRRTE 5 would look for it.
export PRTE_MCA_ras=^slurm

work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-recorder-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# The library's name in programs tells not whose it is.
if [[ $MPI = abi-* ]]; then
  library=ABI_${MPI#abi-}
  library=${library^^}
  mkdir "$work/abi"
  ln -s "$(realpath "${!library}")" "$work/abi/$(objdump -p "${!library}" | awk '$1 == "SONAME" { print $2 }')"
  export LD_LIBRARY_PATH=$work/abi
fi

not_with_openmpi_5() { # WHY: skips the test
  [ "$MPI" != openmpi ] || [ "$openmpi_release" -lt 5 ] || {
    echo "Open MPI $openmpi_release $1"
    exit 77
  }
}

# Programs that an MPI runs wrongly itself. With Open MPI 6.0.0rc2, in mpi_f08 requests end before their messages are there, and
# corner_cases hangs in one run of four with the standard ABI.
runs_wrongly_without_huddle() { # PROGRAM
  [[ $(mpirun.openmpi --version) = *' 6.0.0rc2'* ]] || return 1
  [[ $MPI = openmpi && $1 = *_f08 || $MPI = abi-openmpi && $1 = */corner_cases ]]
}

equal() { # WHAT FOUND EXPECTED
  [ "$2" = "$3" ] || fail "$1: found '$2', expected '$3'"
}

mpi() { # RANKS COMMAND...
  local ranks=$1
  shift
  timeout 240 "mpirun.${MPI#abi-}" -np "$ranks" "$@"
}

# SANITIZER, the runtime that the recorder was built with, must come first in a process, and is for ranks only. TOOL_BEHIND is
# another tool in MPI's profiling interface, preloaded behind the recorder.
record() { # PROFILE RANKS COMMAND...
  local profile=$1 ranks=$2
  shift
  if [ -z "${SANITIZER:-}" ]; then
    LD_PRELOAD=$RECORDER${TOOL_BEHIND:+:$TOOL_BEHIND} HUDDLE_PROFILE=$profile mpi "$@"
  else
    shift
    mpi "$ranks" env LD_PRELOAD="$SANITIZER $RECORDER${TOOL_BEHIND:+ $TOOL_BEHIND}" HUDDLE_PROFILE="$profile" "$@"
  fi
}

# Open MPI only.
monitor() { # PREFIX RANKS COMMAND...
  local prefix=$1
  shift
  OMPI_MCA_pml_monitoring_enable=2 OMPI_MCA_pml_monitoring_enable_output=3 \
    OMPI_MCA_pml_monitoring_filename=$prefix mpi "$@"
}

# Two runs, as the monitoring would also count how the recorder gathers its profile.
same_as_monitoring() { # NAME RANKS PROGRAM ARGUMENTS...
  local name=$1
  shift
  record "$work/$name.json" "$@" || fail "$name with the recorder: status $?"
  monitor "$work/$name" "$@" || fail "$name with the monitoring: status $?"
  "$COMPARE" monitoring "$work/$name.json" "$work/$name" || fail "$name: the matrices differ"
}

summary_has() { # PROFILE LINE
  "$COMPARE" summary "$1" >"$work/summary" || fail "$1 can't be read"
  grep -qxF -- "$2" "$work/summary" || fail "no line '$2' in: $(cat "$work/summary")"
}

# This machine, as if all its processors were cores of one package, with power figures of no real one.
machine_of_one_package() { # DOCUMENT NEW
  python3 - "$1" "$2" <<'PYTHON'
import json, os, sys
machine = json.load(open(sys.argv[1]))
machine["node"]["topology"] = "package:1 die:1 core:%d pu:1" % os.cpu_count()
del machine["frequencies"]
machine["links"] = [link for link in machine["links"] if link["distance"] != "package"]
machine["power"] = {"idle_node_w": 50, "off_node_w": 0, "package_w": 30, "die_w": 8, "core_w": 20, "origin": "given"}
json.dump(machine, open(sys.argv[2], "w"))
PYTHON
}

# Runs the case that is called as the first argument says, with the others.
run_case() { # CASE ARGUMENTS...
  local case=${1:-}
  [ "$(type -t "$case")" = function ] || fail "no case is called '$case'"
  shift
  "$case" "$@"
}
