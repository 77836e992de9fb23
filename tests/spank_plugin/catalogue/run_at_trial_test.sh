#!/usr/bin/env bash
# Runs the cases of one part of the catalogue on a test cluster, each job three times: without the option, with it for the
# first time, and with it again. All of them end alike: with the same status, output, number of ranks, and steps of the same
# sizes; and each submission says of the job what the case says.
# usage: run_at_trial_test.sh BUILD PART [CASE'S NUMBER...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/cases.sh"
build=$(realpath "$1") chosen_part=$2
shift 2
read_cases "$chosen_part"
cd / # the daemons keep the folder that they are started in

# Partitions and reservations, as far as cases of this part name them.
add_limits() {
  add_partition four MinNodes=4
  add_partition narrow MaxCPUsPerNode=1
  add_partition by-node DefMemPerNode=400
  add_partition by-core DefMemPerCPU=100
  add_reservation ours 'nodes=n[4-7]'
  # Slurm 24.11 takes the number of all nodes; 22.05 one for each node.
  local year
  year=$(slurmctld -V | grep -oE '[0-9]+' | head -n 1)
  if [ "$year" -ge 24 ]; then
    add_reservation cores 'nodes=n[0-3]' corecnt=8
  else
    add_reservation cores 'nodes=n[0-3]' corecnt=2,2,2,2
  fi
}
is_named() { grep -q -- "$1" "$here/cases/$chosen_part.sh"; }
add_partition() { ! is_named "--partition=$1" || as_root scontrol create "PartitionName=$1" 'Nodes=n[0-7]' "$2"; }
add_reservation() {
  ! is_named "--reservation=$1" ||
    as_root scontrol create reservation "ReservationName=$1" starttime=now duration=60 users=nobody "${@:2}" >/dev/null
}

start_catalogue_site() {
  local name=catalogue-$chosen_part-$$ more
  more=$(mktemp)
  # Every task of a step notes that it was there.
  cat >"$more" <<CONF
TaskProlog=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$name/shared/note_task
AllowSpecResourcesUsage=yes
MinJobAge=3600
CONF
  start_site "$name" "$build" --gpus 2 --slurm-conf "$more"
  rm "$more"
  # The batch script is no step. Neither are mpirun's daemons, of which there is one a node, and no PMI for them.
  cat >"$shared/note_task" <<'PROLOG'
#!/bin/sh
[ -z "$SLURM_STEP_ID" ] || [ "${SLURM_MPI_TYPE:-none}" = none ] ||
  echo "$SLURM_JOB_ID.$SLURM_STEP_ID" >>"$SLURM_SUBMIT_DIR/steps"
PROLOG
  chmod 0755 "$shared/note_task"
  install -d "$shared/cases"
  # Packed jobs keep two nodes, and no figure of a busy machine decides whether a job is packed.
  write_policy <<<'[limits]
least_nodes = 2'
  sed -i 's/^slowdown.*/slowdown = "80%"/' "$policy"
  as_root scontrol update 'nodename=n[0-7]' AvailableFeatures=fast
  add_limits
}

as_root() { "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$@"; }

folder_of() { echo "$shared/cases/$1-$2"; }

# What ./heat and the others stand for, and where they are.
with_programs() {
  sed -E 's#(^|[^.])\./(heat|cool)( --iterations [0-9]+ --placement -)?#\1./\2 --iterations 20 --placement -#g'
}

prepare() { # CASE RUN
  local i=$1 run=$2 folder mode=''
  folder=$(folder_of "$i" "$run")
  install -d -o nobody -g nogroup "$folder"
  ln -s "$shared/programs/halo_exchange" "$folder/heat"
  ln -s "$shared/programs/halo_exchange_fortran" "$folder/cool"
  ln -s "$shared/programs/abort_midway" "$folder/die"
  [ "${case_scripts[i]:0:2}" = '#!' ] || echo '#!/bin/bash' >"$folder/job.sh"
  with_programs <<<"${case_scripts[i]}" >>"$folder/job.sh"
  chmod 0755 "$folder/job.sh"
  [ "$run" = plain ] || mode=auto
  cat >"$folder/submit.sh" <<SUBMIT
cd $folder
folder=$folder
mode=${mode:-off}
job=($(setting "$i" size '--nodes=4 --ntasks=4') --job-name=case-$i ${mode:+--energy-aggregate} $(setting "$i" options ''))
batch=(--parsable --output=out-%j "\${job[@]}")
$(setting "$i" submit 'sbatch "${batch[@]}" job.sh' | with_programs)
SUBMIT
}

submit_case() { # CASE RUN
  local folder status=0
  folder=$(folder_of "$1" "$2")
  on_site bash "$folder/submit.sh" >"$folder/submit.out" 2>"$folder/submit.err" </dev/null || status=$?
  echo "$status" >"$folder/submit.status"
}

jobs_of() { sed -nE 's/^([0-9]+)(;.*)?$/\1/p' "$(folder_of "$1" "$2")/submit.out"; }

# What others do to a job while it is there.
intervene() { # CASE RUN
  local folder job action done_before
  folder=$(folder_of "$1" "$2") action=$(setting "$1" later '')
  job=$(jobs_of "$1" "$2")
  [ -n "$job" ] && [ ! -e "$folder/intervened" ] || return 0
  case $action in
    release) on_site scontrol release "$job" ;;
    signal)
      [ -e "$folder/ready" ] || return 0
      on_site scancel --batch --signal=USR1 "$job" ;;
    requeue)
      # Slurm lets it wait for two minutes. In the second of its requeuing, slurmd would take its credential for the
      # one that was just revoked.
      [[ $(on_site scontrol --oneliner show job "$job") == *JobState=PENDING*Restarts=1* ]] || return 0
      [ -e "$folder/pending" ] || { touch "$folder/pending"; return 0; }
      [ "$(($(date +%s) - $(stat -c %Y "$folder/pending")))" -ge 2 ] || return 0
      as_root scontrol update "jobid=$job" StartTime=now ;;
  esac
  touch "$folder/intervened"
}

running_jobs() { on_site squeue --noheader --format=%i; }

run_jobs() { # RUN CASE...: submits them, and returns when no job is there any more
  local run=$1 i deadline left_over pids=() intervened=()
  shift
  for i in "$@"; do
    prepare "$i" "$run"
    [ -z "$(setting "$i" later '')" ] || intervened+=("$i")
  done
  for i in "$@"; do
    while [ "$(jobs -pr | wc -l)" -ge 3 ]; do wait -n || true; done
    submit_case "$i" "$run" &
    pids+=($!)
  done
  wait "${pids[@]}"
  deadline=$((SECONDS + 90))
  while left_over=$(running_jobs) && [ -n "$left_over" ]; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      on_site squeue --format='%i %j %T %r'
      on_site scancel --user=nobody
      fail "some jobs did not end within 90 s"
      break
    fi
    for i in "${intervened[@]}"; do intervene "$i" "$run"; done
    sleep 0.3
  done
  on_site scontrol --oneliner show jobs >"$shared/cases/jobs.$run"
}

# The largest exit status of the case's jobs; where the submission itself ran the job, that of the submission.
status_of() { # CASE RUN
  local job
  job=$(jobs_of "$1" "$2")
  if [ -z "$job" ]; then
    cat "$(folder_of "$1" "$2")/submit.status"
    return
  fi
  awk -v job="$job" '
    { found = 0; code = ""
      for (i = 1; i <= NF; i++) {
        if ($i == "JobId=" job || $i == "ArrayJobId=" job || $i == "HetJobId=" job) found = 1
        if ($i ~ /^ExitCode=/) code = substr($i, 10) }
      if (found) { split(code, part, ":"); value = part[2] > 0 ? 128 + part[2] : part[1]; seen = 1
                   if (value + 0 > most + 0) most = value } }
    END { print seen ? most + 0 : "unknown" }' "$shared/cases/jobs.$2"
}

printed_by() { cat "$(folder_of "$1" "$2")"/out-* 2>/dev/null || true; }
rank_lines='^([0-9]+: )?[0-9]+ n[0-7] [0-9,-]+$'

# How a run ended, without what differs between any two runs: times, names of nodes, how many of a node's tasks
# failed, numbers of jobs, and what srun says of cores that are not free yet and of steps with fewer tasks than nodes.
ending() { # CASE RUN
  local folder
  folder=$(folder_of "$1" "$2")
  echo "status $(status_of "$1" "$2")"
  echo "ranks $(printed_by "$1" "$2" | grep -cE "$rank_lines")"
  echo "tasks of steps: $(sort "$folder/steps" 2>/dev/null | uniq -c | awk '{print $1}' | sort -n | paste -sd' ')"
  printed_by "$1" "$2" | grep -v '^huddle: ' | sed -E -e "s/$rank_lines/\1a rank/" -e 's/time_s .*/time_s/' \
    -e 's/\bn([0-7]|\[[0-9,-]+\])/NODE/g' -e '/^srun: (Warning: can.t run|Job .* step creation|Step created)/d' \
    -e 's/[0-9]+m[0-9.]+s/TIME/' -e '/^(srun|slurmstepd|sbatch)/s/[0-9]+/N/g' \
    -e 's/^(srun: error: NODE: )tasks? [N,-]+: /\1tasks: /' | awk '!/^srun: error: NODE: tasks: / || !seen[$0]++' | sort
}

failures=0
fail() { # TEXT [CASE RUN]
  failures=$((failures + 1))
  printf '  FAILED: %s\n' "$1"
  [ $# -gt 1 ] || return 0
  sed 's/^/    submission: /' "$(folder_of "$2" "$3")/submit.err" "$(folder_of "$2" "$3")/submit.out"
  printed_by "$2" "$3" | tail -n 12 | sed 's/^/    job: /'
}

lines_of_huddle() { grep '^huddle: ' "$(folder_of "$1" "$2")/submit.err" || true; }

check_line() { # CASE RUN ERE
  local line
  line=$(lines_of_huddle "$1" "$2")
  [ "$(grep -c . <<<"$line")" -eq 1 ] || { fail "$2: expected one line of huddle's" "$1" "$2"; return; }
  grep -qE "^huddle: .*($3)" <<<"$line" || fail "$2: expected a line that matches: $3" "$1" "$2"
}

check_ending() { # CASE RUN
  local difference
  difference=$(diff <(ending "$1" plain) <(ending "$1" "$2")) ||
    fail "$2: it ended otherwise than without the option: $difference" "$1" "$2"
  ! printed_by "$1" "$2" | grep '^huddle: ' >/dev/null || fail "$2: the job has lines of huddle's" "$1" "$2"
}

check_plain() { # CASE
  local ranks
  [ -z "$(lines_of_huddle "$1" plain)" ] || fail "plain: expected no line of huddle's" "$1" plain
  [ "$(status_of "$1" plain)" = "$(setting "$1" ends 0)" ] ||
    fail "plain: it ended with status $(status_of "$1" plain)" "$1" plain
  ranks=$(printed_by "$1" plain | grep -cE "$rank_lines" || true)
  [ "$ranks" -eq "$(setting "$1" ranks 4)" ] || fail "plain: $ranks ranks printed where they are" "$1" plain
}

check_nodes() { # CASE: that packed ranks share fewer nodes
  local nodes
  nodes=$(printed_by "$1" again | { grep -E "$rank_lines" || true; } | awk '{print $(NF - 1)}' | sort -u | wc -l)
  [ "$nodes" -le "$(setting "$1" on 2)" ] || fail "packed ranks are on $nodes nodes" "$1" again
}

check_case() { # CASE
  local i=$1 because measured says
  because=$(setting "$i" because '')
  measured=$(setting "$i" measured 'this run is measured')
  says=$(setting "$i" says '')
  echo "- ${case_outcomes[i]}: ${case_names[i]}"
  if [ "${case_outcomes[i]}" = said ]; then
    check_line "$i" first 'this run is measured'
    [ -z "$(printed_by "$i" first)" ] || fail "a job ran" "$i" first
    [ ! -e "$profiles/nobody/case-$i" ] || fail "the store has a folder for it" "$i" first
    return
  fi
  check_plain "$i"
  check_ending "$i" first
  case ${case_outcomes[i]} in
    left) check_line "$i" first "left as submitted: .*($because)" ;;
    *) check_line "$i" first "$measured"; check_ending "$i" again ;;
  esac
  [ -z "$says" ] || grep -rqE "\"messages\":\[.*($says)" "$profiles/nobody/case-$i" ||
    fail "expected in the record of the measured job's step: $says" "$i" first
  case ${case_outcomes[i]} in
    packed)
      check_line "$i" again 'packed onto [0-9]+ of 4'
      check_nodes "$i" ;;
    kept) check_line "$i" again "$(setting "$i" line "left as submitted: .*($because)")" ;;
    unmeasured) check_line "$i" again "$measured" ;;
  esac
}

wanted=() with_a_second=()
for i in "${!case_names[@]}"; do
  [ $# -eq 0 ] || [[ " $* " == *" $i "* ]] || continue
  program=$(setting "$i" needs '')
  if [ -n "$program" ] && ! command -v "$program" >/dev/null; then
    echo "- SKIPPED, there is no $program: ${case_names[i]}"
    continue
  fi
  wanted+=("$i")
  case ${case_outcomes[i]} in packed | kept | unmeasured) with_a_second+=("$i") ;; esac
done

start_catalogue_site
began=$SECONDS
run_jobs plain "${wanted[@]}"; echo "plain: $((SECONDS - began)) s"
run_jobs first "${wanted[@]}"; echo "first: $((SECONDS - began)) s"
run_jobs again "${with_a_second[@]}"; echo "again: $((SECONDS - began)) s"
for i in "${wanted[@]}"; do check_case "$i"; done
echo "${#wanted[@]} cases, $failures failed expectations"
[ "$failures" -eq 0 ]
