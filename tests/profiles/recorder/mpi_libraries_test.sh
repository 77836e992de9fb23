#!/bin/bash
# Runs programs whose MPI library has another name than usual, is unknown, or is loaded by the program itself.
#   RECORDER=libhuddle_recorder.so COMPARE=compare_matrix PROGRAMS=directory MPI=mpich FOREIGN=foreign_program PAST=past_recorder \
#     mpi_libraries_test.sh CASE
set -u
: "${PROGRAMS:?}"
. "$(dirname "$0")/recorder_lib.sh"

# As Cray MPICH, and as Intel MPI and MVAPICH call it.
mpich_is_known_by_any_name() {
  local name
  for name in libmpi_cray.so.12 libmpi.so.12; do
    mkdir "$work/$name"
    cp "$(ldd "$PROGRAMS/message_families" | awk '$1 == "libmpich.so.12" { print $3 }')" "$work/$name/$name" ||
      fail "the program is not linked with libmpich.so.12"
    patchelf --set-soname "$name" "$work/$name/$name"
    cp "$PROGRAMS/message_families" "$work/$name/program"
    patchelf --replace-needed libmpich.so.12 "$name" "$work/$name/program"
    LD_LIBRARY_PATH=$work/$name record "$work/$name.json" 4 "$work/$name/program" --repeats 2 --truth "$work/$name.truth" ||
      fail "$name: status $?"
    "$COMPARE" truth "$work/$name.json" "$work/$name.truth" || fail "$name: the matrices differ"
  done
}

unknown_library_is_named() {
  LD_PRELOAD=$RECORDER HUDDLE_PROFILE=$work/p.json "$FOREIGN" 2>"$work/errors" || fail "status $?"
  grep -qE "^huddle: not measured: no recorder is here for the program's MPI library, Foreign MPI 1.0 \(/.*foreign_mpi.so\)$" \
    "$work/errors" || fail "it says: $(cat "$work/errors")"
  equal "lines" "$(wc -l <"$work/errors")" 1
  [ ! -e "$work/p.json" ] || fail "there is a profile"
}

calls_past_the_recorder_cost_one_line() {
  local library
  library=$(ldd "$PROGRAMS/message_families" | awk '$1 ~ /^libmpi(ch)?[.]so/ { print $3 }')
  record "$work/p.json" 2 "$PAST" "$library" >"$work/output" 2>&1 || fail "status $?: $(cat "$work/output")"
  equal "what it says" "$(cat "$work/output")" \
    "huddle: not measured: the program takes MPI's functions from the library itself (dlsym), past the recorder"
}

# All recorders are preloaded together, and others than the program's know functions that its library lacks.
absent_functions_stay_absent() {
  local all
  all=$(echo "${RECORDER%/*}"/libhuddle_recorder*.so)
  mpi 2 "$PROGRAMS/asks_for_large_counts" | sort >"$work/plain" || fail "status $? without a recorder"
  grep -q '^1: 1, status 0' "$work/plain" || fail "without a recorder it prints: $(cat "$work/plain")"
  RECORDER=${all// /:} record "$work/p.json" 2 "$PROGRAMS/asks_for_large_counts" >"$work/output" || fail "status $?"
  equal "what the program prints" "$(sort "$work/output")" "$(cat "$work/plain")"
  grep -q '"bcast"' "$work/p.json" || fail "the broadcast is not in the profile"
}

# An interpreter's module loads MPI for itself only.
python_is_measured() {
  # Debian's own, which its mpi4py is for.
  local python=/usr/bin/python3 rank
  "$python" -c 'import mpi4py.MPI' 2>"$work/errors" || { echo "no mpi4py: $(tail -n 1 "$work/errors")"; exit 77; }
  cat >"$work/ring.py" <<'PYTHON'
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
for _ in range(5):
    world.Sendrecv(bytearray(1000), (rank + 1) % size, 0, bytearray(1000), (rank - 1) % size, 0)
PYTHON
  for rank in 0 1 2; do echo "$rank $(((rank + 1) % 3)) 5 5000"; done >"$work/truth"
  record "$work/p.json" 3 "$python" "$work/ring.py" || fail "status $?"
  "$COMPARE" truth "$work/p.json" "$work/truth" || fail "the matrices differ"
}

run_case "$@"
