#!/usr/bin/env bash
# Many runs of one kind of job, one after the other: each must be over soon after its program has ended.
#
#   endurance.sh BUILD [KIND [RUNS]]     KIND: plain (without the option), measured, packed, steps (one job, a loop of
#                                        sruns) or all of them; RUNS of each kind, 40 unless said
#
# Prints a table of how long jobs took from their program's last line to the end of the job, and for each job that took
# longer than 20 s what its processes waited for. Fails if there is one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
build=$1 kinds=${2:-all} runs=${3:-40}
. "$here/site.sh"
. "$here/plugin/expectations.sh"
start_site "endurance-$$" "$build"
[ "$kinds" != all ] || kinds="plain measured packed steps"
latest=20 # seconds

# Prints what the processes of a job that does not end wait for.
explain() { # JOB
  echo "== job $1 does not end"
  on_site scontrol show job "$1" || true
  on_site scontrol show step "$1" || true
  local process name
  for process in /proc/[0-9]*; do
    name=$(cat "$process/comm" 2>/dev/null) || continue
    case $name in
      slurmstepd | srun | halo_exchange | orted | mpirun | huddle* | slurm_script | bash)
        tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -q "$site_name\|slurmstepd: \[$1" || continue
        printf '%s %s: %s\n' "${process#/proc/}" "$name" "$(tr '\0' ' ' <"$process/cmdline" | cut -c1-120)"
        for thread in "$process"/task/*; do
          printf '    %s %s %s\n' "${thread##*/}" "$(awk '/State/ {print $2, $3}' "$thread/status")" "$(cat "$thread/wchan" 2>/dev/null)"
          sed 's/^/        /' "$thread/stack" 2>/dev/null | head -n 6
        done ;;
    esac
  done
  local node
  for node in "$shared"/../nodes/*/slurmd.log "$shared"/../nodes/*.log; do
    [ ! -e "$node" ] || grep -H "\[$1\.\|JobId=$1\| $1\." "$node" | tail -n 15
  done
}

now() { date +%s.%N; }

# One job; sets $ended to the seconds between its program's last line and its end, or to nothing.
run_job() { # OPTION...
  local script=$shared/job.sh begun printed description
  rm -f "$home/job.out"
  cat >"$script"
  chmod 0644 "$script"
  ended=
  job=$(on_site sbatch --parsable --output="$home/job.out" "$@" "$script" 2>"$site_scratch/err") || return 1
  begun=$(now) printed=
  while :; do
    [ -n "$printed" ] || ! grep -q 'last line' "$home/job.out" 2>/dev/null || printed=$(now)
    description=$(on_site scontrol --oneliner show job "$job" || true)
    case $description in
      *JobState=PENDING* | *JobState=CONFIGURING* | *JobState=RUNNING* | *JobState=COMPLETING* | "") ;;
      *) break ;;
    esac
    if [ "$(awk "BEGIN {print ($(now) - ${printed:-$begun} > (\"$printed\" == \"\" ? 120 : $latest))}")" = 1 ]; then
      explain "$job"
      on_site scancel "$job" || true
      return 1
    fi
    sleep 0.05
  done
  case $description in *JobState=COMPLETED*) ;; *) echo "job $job ended otherwise: ${description:0:300}"; cat "$home/job.out"; return 1 ;; esac
  # A job that was over before its last line was seen took no time that could be told.
  ended=0.00
  [ -z "$printed" ] || ended=$(awk "BEGIN {printf \"%.2f\", $(now) - $printed}")
}

script_of() { # KIND
  echo '#!/bin/bash'
  echo '#SBATCH --nodes=8 --ntasks=16 --job-name=halo'
  if [ "$1" = steps ]; then
    echo "for ((i = 0; i < 15; i++)); do srun $shared/programs/halo_exchange --iterations 2 >/dev/null || exit 1; done"
  else
    echo "srun $shared/programs/halo_exchange --iterations 5"
  fi
  echo 'echo the last line'
}

printf '%-9s %6s %8s %8s %8s %8s\n' kind runs failed 'median s' '99 % s' 'most s'
failed=0
for kind in $kinds; do
  options=()
  case $kind in
    measured) options=(--energy-aggregate=profile) ;;
    packed | steps) options=(--energy-aggregate) ; run_job --energy-aggregate < <(script_of plain) ;;
  esac
  bad=0
  : >"$site_scratch/times"
  for ((run = 0; run < runs; run++)); do
    if run_job "${options[@]}" < <(script_of "$kind"); then echo "$ended" >>"$site_scratch/times"; else bad=$((bad + 1)); fi
  done
  [ "$kind" != packed ] || grep -q 'packed onto' "$site_scratch/err" || { echo "not packed: $(cat "$site_scratch/err")"; failed=1; }
  sort -n "$site_scratch/times" | awk -v kind="$kind" -v bad="$bad" '{t[NR] = $1}
    END {printf "%-9s %6d %8d %8s %8s %8s\n", kind, NR + bad, bad, t[int((NR + 1) / 2)], t[int(NR * 0.99 + 0.99)], t[NR]}'
  failed=$((failed + bad))
done
[ "$failed" -eq 0 ]
