#!/bin/bash
# Runs ranks in containers of Charliecloud: a small root into which this machine's libraries are bound, as a site's MPI is, and the
# recorder's folder, or not. The program runs as it does without Huddle in each case.
#   HUDDLE=huddle RECORDER=libhuddle_recorder.so COMPARE=compare_matrix PROGRAMS=directory MPI=openmpi containers_test.sh CASE
set -u
: "${HUDDLE:?}" "${PROGRAMS:?}"
export TMPDIR=/tmp # the one that containers see
. "$(dirname "$0")/recorder_lib.sh"
command -v ch-run >/dev/null || { echo "no Charliecloud (charliecloud)"; exit 77; }

# Ranks in user namespaces of their own can't copy from each other's memory. MPICH's can't be told so: they share one.
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma,xpmem
USER=$(id -un)
export USER

root=$work/root
mkdir -p "$root"/{app,dev,proc,sys,etc,tmp,huddle,usr/bin,usr/lib,usr/lib64}
for name in bin lib lib64; do ln -s "usr/$name" "$root/$name"; done
touch "$root"/etc/{passwd,group,hosts,resolv.conf}
cp "$PROGRAMS/message_families" "$root/app"
container=(ch-run --bind /usr/bin:/usr/bin --bind /usr/lib:/usr/lib)
[ ! -d /usr/lib64 ] || container+=(--bind /usr/lib64:/usr/lib64)
[ ! -d /etc/alternatives ] || { mkdir "$root/etc/alternatives" && container+=(--bind /etc/alternatives:/etc/alternatives); }
bound=(--bind "$(dirname "$RECORDER"):/huddle")
asked=("--set-env=LD_PRELOAD=/huddle/$(basename "$RECORDER")")
program=("$root" -- /app/message_families --repeats 2 --truth "$work/truth")
"${container[@]}" "$root" -- /usr/bin/true 2>"$work/errors" || { echo "no container starts here: $(tail -n 1 "$work/errors")"; exit 77; }

# By huddle record; what Huddle says is in $work/said.
run() { # COMMAND...
  rm -f "$work/truth" "$work/p.json"
  timeout 240 "$HUDDLE" record --quiet --recorder "$RECORDER" -o "$work/p.json" -- "$@" >"$work/out" 2>"$work/err" ||
    fail "status $?: $(cat "$work/err")"
  [ -s "$work/truth" ] || fail "the program did not run: $(cat "$work/out" "$work/err")"
  grep '^huddle: ' "$work/err" >"$work/said"
}
expect_measured() {
  equal "what it says" "$(cat "$work/said")" ""
  "$COMPARE" truth "$work/p.json" "$work/truth" || fail "the matrices differ"
}
expect_unmeasured() { # WHY, a regular expression
  [ ! -e "$work/p.json" ] || fail "there is a profile"
  grep -qE "^huddle: no profile was written to $work/p.json: (/usr/bin/)?ch-run starts a container$1\$" "$work/said" ||
    fail "it says: $(cat "$work/err")"
  equal "lines" "$(wc -l <"$work/said")" 1
}
ranks=("mpirun.$MPI" -np 3)

ranks_in_containers_are_measured_if_asked_for() {
  run "${ranks[@]}" "${container[@]}" "${bound[@]}" "${asked[@]}" "${program[@]}"
  expect_measured
}

ranks_of_one_container_are_measured_if_asked_for() {
  run "${container[@]}" "${bound[@]}" "${asked[@]}" "$root" -- "${ranks[@]}" "${program[@]:2}"
  expect_measured
}

containers_run_unmeasured_and_one_line_says_why() {
  run "${ranks[@]}" "${container[@]}" "${program[@]}"
  expect_unmeasured ', in which the recorder has to be asked for \(see huddle-record\(1\)\)'
  ! grep -q 'ld\.so' "$work/err" || fail "it says: $(cat "$work/err")"
  run "${ranks[@]}" "${container[@]}" "${asked[@]}" "${program[@]}"
  expect_unmeasured ": are the recorder's folder and the profile's bound into it\?"
}

run_case "$@"
