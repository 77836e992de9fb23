#!/usr/bin/env bash
# Runs the cases of one part of the catalogue on a test cluster with default settings, each job five times: without the option,
# then measured, measured again on nodes filled in different ways, packed, and packed again; one that is left as submitted is not
# run again. All of them end alike: with the same status, output, files on nodes' disks, number of ranks, and steps of the same
# sizes; and each submission says of the job what the case says.
# usage: [HUDDLE_NODES=shared] run_test.sh BUILD PART [CASE'S NUMBER...]   jobs get whole nodes, unless these are shared
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/cases.sh"
build=$(realpath "$1") chosen_part=$2
shift 2
read_cases "$chosen_part"
site_nodes=12 # on which three jobs run at once, as they were submitted
is_named() { grep -q -- "$1" "$here/cases/$chosen_part.sh"; }
! is_named --reservation= || site_nodes=16 # and four that nobody else gets
partition=whole # as on most sites
[ "${HUDDLE_NODES-}" != shared ] || partition=all
all_nodes="n[0-$((site_nodes - 1))]"
treated=(measured again packed confirmed) # the runs with the option, in their order
cd / # the daemons keep the folder that they are started in

# Partitions and reservations, as far as cases of this part name them.
add_limits() {
  add_partition four MinNodes=4
  add_partition narrow MaxCPUsPerNode=1
  add_partition by-node DefMemPerNode=400
  add_partition by-core DefMemPerCPU=100
  add_reservation ours 'nodes=n[12-15]'
  # Slurm 24.11 takes the number of all nodes; 22.05 one for each node.
  local year
  year=$(slurmctld -V | grep -oE '[0-9]+' | head -n 1)
  if [ "$year" -ge 24 ]; then
    add_reservation cores 'nodes=n[12-15]' corecnt=8
  else
    add_reservation cores 'nodes=n[12-15]' corecnt=2,2,2,2
  fi
}
add_partition() { ! is_named "--partition=$1" || as_root scontrol create "PartitionName=$1" Nodes="$all_nodes" "$2"; }
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
  start_site "$name" "$build" --gpus 2 --nodes "$site_nodes" --slurm-conf "$more"
  rm "$more"
  # The batch script is no step. Neither are mpirun's daemons, of which there is one a node, and no PMI for them.
  cat >"$shared/note_task" <<'PROLOG'
#!/bin/sh
[ -z "$SLURM_STEP_ID" ] || [ "${SLURM_MPI_TYPE:-none}" = none ] ||
  echo "$SLURM_JOB_ID.$SLURM_STEP_ID" >>"$SLURM_SUBMIT_DIR/steps"
PROLOG
  chmod 0755 "$shared/note_task"
  install -d "$shared/cases"
  set_up_policy "80%" # no figure of a busy machine decides whether a job is packed
  chmod 1777 "$shared"/../nodes/n*.disk
  as_root scontrol update "nodename=$all_nodes" AvailableFeatures=fast
  add_limits
}

as_root() { "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$@"; }

folder_of() { echo "$shared/cases/$1-$2"; }

# The programs that ./heat and the others stand for. Their ranks sleep: their times are those of a cluster whose nodes do not
# share two cores.
heat_arguments='--steps 4 --slower 0 --placement -' cool_arguments='--iterations 20 --rest-ms 10 --placement -'
with_programs() { sed -E -e "s#(^|[^.])\./heat\b#\1./heat $heat_arguments#g" -e "s#(^|[^.])\./cool\b#\1./cool $cool_arguments#g"; }

prepare() { # CASE RUN
  local i=$1 run=$2 folder mode=''
  folder=$(folder_of "$i" "$run")
  rm -rf "$folder"
  install -d -o nobody -g nogroup "$folder"
  ln -s "$shared/programs/crowded" "$folder/heat"
  ln -s "$shared/programs/halo_exchange_fortran" "$folder/cool"
  ln -s "$shared/programs/abort_midway" "$folder/die"
  [ "${case_scripts[i]:0:2}" = '#!' ] || echo '#!/bin/bash' >"$folder/job.sh"
  with_programs <<<"${case_scripts[i]}" >>"$folder/job.sh"
  chmod 0755 "$folder/job.sh"
  [ "$run" = plain ] || mode=auto
  cat >"$folder/submit.sh" <<SUBMIT
cd $folder
export SBATCH_PARTITION=$partition SALLOC_PARTITION=$partition SLURM_PARTITION=$partition
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

# Does to a job what others do while it is there.
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
  # One after the other where plans are made: a user's own wait for each other.
  local at_once=3
  [ "$run" = plain ] || [ "$run" = measured ] || at_once=1
  for i in "$@"; do
    while [ "$(jobs -pr | wc -l)" -ge "$at_once" ]; do wait -n || true; done
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
  note_disks >>"$shared/cases/disks.$run"
}

# Lines "JOB PATH SUM" of the files that jobs left on disks of their nodes, as far as a job's number ends the name of a file or
# of a folder that it is in: then the next run finds none of them.
note_disks() {
  local pid root file name
  for pid in "$shared"/../nodes/n*.pid; do
    root=/proc/$(cat "$pid")/root
    while IFS= read -r -d '' file; do
      name=${file#"$root"}
      [[ $name =~ \.([0-9]+)(/|$) ]] || continue
      echo "${BASH_REMATCH[1]} ${name/".${BASH_REMATCH[1]}"/.JOB} $(without_chance <"$file" | md5sum | cut -c1-12)"
    done < <(find "$root/mnt" "$root/dev/shm" "$root/var/tmp" -xdev -mindepth 1 -type f -user nobody -print0)
    find "$root/mnt" -xdev -mindepth 1 -maxdepth 1 -exec rm -rf {} +
    find "$root/dev/shm" "$root/var/tmp" -xdev -mindepth 1 -maxdepth 1 -user nobody -name '*.[0-9]*' -exec rm -rf {} +
  done | sort
}

# On a busy machine a plan may take longer than a submission waits: then the next submission has it.
run_until_planned() { # RUN CASE...
  local run=$1 attempt i late
  shift
  for attempt in 1 2 3 4 5; do
    [ $# -gt 0 ] || return 0
    [ "$attempt" = 1 ] || sleep 2
    run_jobs "$run" "$@"
    late=()
    for i in "$@"; do
      job_errors=$(lines_of_huddle "$i" "$run")
      ! plan_was_late || late+=("$i")
    done
    [ "${#late[@]}" -eq 0 ] || echo "late plans in attempt $attempt: ${late[*]}"
    set -- "${late[@]}"
  done
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
rank_lines='^([0-9]+: )?[0-9]+ n[0-9]+ [0-9,-]+$'

# Lines without what differs between any two runs: times, names of nodes, how many of a node's tasks failed, numbers of jobs, and
# what srun says of cores that are not free yet and of steps with fewer tasks than nodes.
without_chance() {
  sed -E -e "s/$rank_lines/\1a rank/" -e 's/time_s .*/time_s/' \
    -e 's/\bn([0-9]+\b|\[[0-9,-]+\])/NODE/g' -e '/^srun: (Warning: can.t run|Job .* step creation|Step created)/d' \
    -e 's/[0-9]+m[0-9.]+s/TIME/' -e '/^(srun|slurmstepd|sbatch)/s/[0-9]+/N/g' \
    -e 's/^(srun: error: NODE: )tasks? [N,-]+: /\1tasks: /' | awk '!/^srun: error: NODE: tasks: / || !seen[$0]++'
}

ending() { # CASE RUN: how it ended
  local folder job
  folder=$(folder_of "$1" "$2")
  echo "status $(status_of "$1" "$2")"
  echo "ranks $(printed_by "$1" "$2" | grep -cE "$rank_lines")"
  echo "tasks of steps: $(sort "$folder/steps" 2>/dev/null | uniq -c | awk '{print $1}' | sort -n | paste -sd' ')"
  printed_by "$1" "$2" | grep -v '^huddle: ' | without_chance | sort
  job=$(jobs_of "$1" "$2")
  [ -z "$job" ] || sed -n "s/^$job /on a disk: /p" "$shared/cases/disks.$2" | sort -u
}

# Prints how many seconds its job took.
seconds_of() { # CASE RUN
  local job
  job=$(jobs_of "$1" "$2")
  [ -n "$job" ] || { echo '?'; return; }
  sed -nE "s/^JobId=$job .* RunTime=([0-9]+):([0-9]+):([0-9]+) .*/\1 \2 \3/p" "$shared/cases/jobs.$2" |
    awk '{ print 3600 * $1 + 60 * $2 + $3; found = 1 } END { if (!found) print "?" }'
}

failures=0
declare -A harmed=() # cases whose jobs ended otherwise with the option
fail() { # TEXT [CASE RUN]
  failures=$((failures + 1))
  [[ $1 != *"ended otherwise"* ]] || harmed[$2]=yes
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

# The line that submissions without the option get to read, also those that jobs make, where the site's mode is that of huddle
# setup.
advice='^huddle: with auto: '

check_ending() { # CASE RUN
  local difference
  difference=$(diff <(ending "$1" plain) <(ending "$1" "$2")) ||
    fail "$2: it ended otherwise than without the option: $difference" "$1" "$2"
  ! printed_by "$1" "$2" | grep '^huddle: ' | grep -v "$advice" >/dev/null || fail "$2: the job has lines of huddle's" "$1" "$2"
}

check_plain() { # CASE
  local ranks
  [ -z "$(lines_of_huddle "$1" plain | grep -v "$advice")" ] ||
    fail "plain: expected no line of huddle's but advice" "$1" plain
  [ "$(status_of "$1" plain)" = "$(setting "$1" ends 0)" ] ||
    fail "plain: it ended with status $(status_of "$1" plain)" "$1" plain
  ranks=$(printed_by "$1" plain | grep -cE "$rank_lines" || true)
  [ "$ranks" -eq "$(setting "$1" ranks 4)" ] || fail "plain: $ranks ranks printed where they are" "$1" plain
}

check_nodes() { # CASE RUN: that packed ranks share fewer nodes
  local nodes
  nodes=$(printed_by "$1" "$2" | { grep -E "$rank_lines" || true; } | awk '{print $(NF - 1)}' | sort -u | wc -l)
  [ "$nodes" -le "$(setting "$1" on 2)" ] || fail "$2: packed ranks are on $nodes nodes" "$1" "$2"
}

was_run() { [ -e "$(folder_of "$1" "$2")" ]; } # CASE RUN

# True if a run is the case's last one: its job is left as submitted, and will be, or keeps its nodes.
is_last() { # CASE RUN
  lines_of_huddle "$1" "$2" | grep -qE "left as submitted: |$(setting "$1" line 'no such line')"
}

# Prints what the submission of a run says.
line_of_run() { # CASE RUN
  case ${case_outcomes[$1]}:$2 in
    left:*) echo "left as submitted: .*($(setting "$1" because ''))" ;;
    *:measured) setting "$1" measured 'this run is measured' ;;
    unmeasured:again) setting "$1" measured 'this run is measured' ;;
    packed:again) setting "$1" again 'measured on [0-9]+ nodes? filled (in different ways|alike)' ;;
    packed:packed) echo 'packed onto [0-9]+ of 4' ;;
    packed:confirmed) echo 'packed onto [0-9]+ of 4 .*; [0-9]+ packed runs? took' ;;
    unmeasured:*) echo 'left as submitted: .*2 measured runs (had no step of|showed nothing to plan from)' ;;
    kept:*) setting "$1" line "left as submitted: .*($(setting "$1" because ''))" ;;
  esac
}

check_said() { # CASE
  check_line "$1" measured 'this run is measured'
  [ -z "$(printed_by "$1" measured)" ] || fail "a job ran" "$1" measured
  [ ! -e "$profiles/nobody/case-$1" ] || fail "the store has a folder for it" "$1" measured
}

check_case() { # CASE
  local i=$1 says run last='' seconds
  says=$(setting "$i" says '')
  echo "- ${case_outcomes[i]}: ${case_names[i]}"
  [ "${case_outcomes[i]}" != said ] || { check_said "$i"; return; }
  seconds=$(seconds_of "$i" plain)
  check_plain "$i"
  for run in "${treated[@]}"; do
    was_run "$i" "$run" || break
    last=$run
    seconds+=" $(seconds_of "$i" "$run")"
    check_ending "$i" "$run"
    # One that is kept may be measured twice before.
    [ "${case_outcomes[i]}:$run" = kept:again ] && ! is_last "$i" "$run" || check_line "$i" "$run" "$(line_of_run "$i" "$run")"
  done
  echo "  seconds: $seconds"
  [ -z "$says" ] || grep -rqE "\"messages\":\[.*($says)" "$profiles/nobody/case-$i" ||
    fail "expected in the record of the measured job's step: $says" "$i" measured
  if [ "${case_outcomes[i]}" = packed ]; then
    for run in packed confirmed; do ! was_run "$i" "$run" || check_nodes "$i" "$run"; done
    [ "$last" = confirmed ] || fail "its last run is the one named $last" "$i" "$last"
  else
    is_last "$i" "$last" || fail "it is still not left as submitted in the run named $last" "$i" "$last"
  fi
}

wanted=()
for i in "${!case_names[@]}"; do
  [ $# -eq 0 ] || [[ " $* " == *" $i "* ]] || continue
  program=$(setting "$i" needs '')
  if [ -n "$program" ] && ! command -v "$program" >/dev/null; then
    echo "- SKIPPED, there is no $program: ${case_names[i]}"
    continue
  fi
  if [ "$(setting "$i" nodes '')" = whole ] && [ "$partition" != whole ]; then
    echo "- SKIPPED, it is for whole nodes: ${case_names[i]}"
    continue
  fi
  wanted+=("$i")
done

start_catalogue_site
began=$SECONDS
run_jobs plain "${wanted[@]}"
echo "plain: ${#wanted[@]} cases, $((SECONDS - began)) s"
remaining=("${wanted[@]}")
for run in "${treated[@]}"; do
  run_until_planned "$run" "${remaining[@]}"
  echo "$run: ${#remaining[@]} cases, $((SECONDS - began)) s"
  next=()
  for i in "${remaining[@]}"; do
    [ "${case_outcomes[i]}" = said ] || is_last "$i" "$run" || next+=("$i")
  done
  remaining=("${next[@]}")
done
for i in "${wanted[@]}"; do check_case "$i"; done
count_of() { # OUTCOME
  local i count=0
  for i in "${wanted[@]}"; do [ "${case_outcomes[i]}" != "$1" ] || count=$((count + 1)); done
  echo "$count"
}
echo "reach: $(count_of packed) of ${#wanted[@]} packed, $(count_of kept) keep their nodes, $(($(count_of left) + $(count_of unmeasured))) are left"
echo "harm: ${#harmed[@]} ended otherwise"
echo "${#wanted[@]} cases, $failures failed expectations"
[ "$failures" -eq 0 ]
