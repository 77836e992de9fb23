# Named checks for the tests on a site; for scripts to source after site.sh. Each check prints what it found and fails the
# script only at its end, so that one run shows all failures.

failures=0

# "yes" if the mpirun in scripts follows plans, or empty from Open MPI 5 on, whose ranks run in mpirun's own order.
steered_mpirun=yes
[[ $(mpirun.openmpi --version) != *"(Open MPI) "[5-9]* ]] || steered_mpirun=''
: "${mpirun_has_programs=yes}" # site.sh

case_begins() { echo "- $1"; }

fail() {
  failures=$((failures + 1))
  printf '  FAILED: %s\n' "$1"
  printf '    submission said: %s\n' "${job_errors:-nothing}"
  printf '%s\n' "${job_output:-}" | tail -n 20 | sed 's/^/    job: /'
}

expect_success() { [ "$job_status" -eq 0 ] || fail "the job ended with status $job_status"; }

# The submission printed exactly one line of Huddle's, and it matches.
expect_one_line() {
  local lines
  lines=$(grep -c '^huddle: ' <<<"$job_errors" || true)
  [ "$lines" -eq 1 ] || fail "expected one line of huddle's, found $lines"
  grep -qE "^huddle: .*$1" <<<"$job_errors" || fail "expected a line that matches: $1"
}

expect_silence() { [ -z "$job_errors" ] || fail "expected no line of huddle's"; }

expect_in_output() { grep -qE "$1" <<<"$job_output" || fail "expected in the job's output: $1"; }

expect_not_in_output() { ! grep -qE "$1" <<<"$job_output" || fail "not expected in the job's output: $1"; }

# The nodes that ranks ran on, from lines "rank node pus" in $home/placement.
nodes_used() { awk '{print $2}' "$home/placement" | sort -u | wc -l; }

expect_nodes() {
  local used
  used=$(nodes_used)
  [ "$used" -eq "$1" ] || fail "expected ranks on $1 nodes, found them on $used"
}

# No node is drained, down or taken. A node that the scheduler had reserved for a job ("planned") is idle, too.
expect_idle_nodes() { # [FOR WHAT]
  [ -z "$(on_site sinfo --noheader -o '%t' | grep -vxE 'idle|plnd')" ] || fail "${1:+$1: }not all nodes are idle: $(on_site sinfo --noheader)"
}

profile_files() { find "$profiles" -type f -name 'profile-*' | sort; }
trace_folders() { find "$profiles" -type d -name 'profile-*.trace' | sort; }

expect_profiles() {
  local found
  found=$(profile_files | wc -l)
  [ "$found" -eq "$1" ] || fail "expected $1 stored profile(s), found $found"
}

forget_runs() { rm -rf "${profiles:?}"/*; }

# A batch script whose 16 ranks report where they run. Arguments: the words before the program (srun, mpirun ...).
halo_job() {
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=16 --job-name=halo
rm -f $home/placement
echo "\$HUDDLE_PLAN" >$home/plan
$* $shared/programs/halo_exchange --iterations 40 --placement $home/placement
SCRIPT
}

# Lines "rank node-number pus" of the plan that the job's nodes were requested by (of the newest stored one, where no
# script noted it), nodes numbered in order of appearance.
planned_placement() {
  local plan
  plan=$(cat "$home/plan" 2>/dev/null || true)
  [ -n "$plan" ] || plan=$(find "$profiles" \( -name 'plan-*.json' -o -name 'sample-*.json' \) ! -name '*.none.json' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
  "$huddle" emit "$plan" --as openmpi --hosts "$(seq -s, 0 7)" |
    sed -E 's/^rank ([0-9]+)=([0-9]+) slot=(.*)$/\1 \2 \3/' | number_nodes
}

number_nodes() { awk '!($2 in seen) {seen[$2] = n++} {print $1, seen[$2], $3}'; }

expect_placed_as_planned() {
  local difference
  difference=$(diff <(planned_placement) <(sort -n "$home/placement" | number_nodes)) ||
    fail "ranks are not where the plan puts them: $difference
    the job's plan: $(cat "$home/plan" 2>/dev/null), stored: $(find "$profiles" -printf '%T+ %f; ')"
}

# Whatever the test's jobs left in the store is as the documents' schemas say.
expect_valid_documents() {
  python3 -c 'import jsonschema' 2>/dev/null || return 0
  local found
  found=$(python3 "$tests_directory/check_documents.py" "$profiles" 2>&1) || [ "$found" = "no documents" ] || fail "documents: $found"
}

finish() {
  [ -z "${profiles:-}" ] || expect_valid_documents
  if [ "$failures" -gt 0 ]; then
    echo "$failures expectation(s) failed"
    exit 1
  fi
  echo "all as expected"
}
