#!/usr/bin/env bash
# Measures what a submission costs, and whether it costs more after thousands: three users submit packed jobs by sbatch, at
# once and one after the other, each beside the same job without the option. Jobs are held and cancelled a hundred at a time;
# for each a record is put into the store, as its run would have left it. Prints the medians of the first, middle and last
# submissions, and fails if the last ones cost twice as much as the first ones.
#
#   tests/spank_plugin/submissions.sh [--submissions N] [--records N] BUILD
#
# N submissions in all, 90 by default; 3000 take some five minutes. N records of earlier runs for each user, 2000 by default.
set -euo pipefail
submissions=90 records=2000
while [ $# -gt 1 ]; do
  case $1 in
    --submissions) submissions=$2 ;;
    --records) records=$2 ;;
    *) echo "unknown argument '$1'" >&2; exit 2 ;;
  esac
  shift 2
done
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/site.sh"
. "$here/plugin/expectations.sh"
start_site "submissions-$$" "$1"
users=(nobody daemon bin)
each=$((submissions / ${#users[@]}))
window=$((each / 3 < 34 ? each / 3 : 34)) # of each user: a hundred of all
work=$shared/submissions
install -d -m 1777 "$work"
cat >"$work/job.sh" <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=16 --job-name=load --output=/dev/null
srun --output=/dev/null $shared/programs/halo_exchange --iterations 40
SCRIPT
as_user() { local user=$1; shift; timeout 3600 "$tests_directory/cluster/exec" --name "$site_name" --user "$user" -- "$@"; }

# submit COUNT FOLDER   prints a line for each submission: number, ms with the option, ms without
cat >"$work/submit" <<'SCRIPT'
#!/bin/bash
count=$1 folder=$2 here=$(dirname "$0")
record=$(find "$folder" -name 'outcome-*.json' | head -n 1)
ms() { local before=${EPOCHREALTIME/./}; "$@" >/dev/null 2>>"$here/$USER.said"; echo $(((${EPOCHREALTIME/./} - before) / 1000)); }
for i in $(seq "$count"); do
  packed=$(ms sbatch --hold --energy-aggregate "$here/job.sh")
  plain=$(ms sbatch --hold "$here/job.sh")
  echo "$i $packed $plain"
  ln "$record" "$folder/outcome-20000101T000000.000Z-$i.json"
  [ $((i % 33)) -ne 0 ] || scancel --user="$USER" --state=PENDING
done
scancel --user="$USER"
SCRIPT
# Hard links to one record stand for earlier runs' records.
cat >"$work/earlier" <<'SCRIPT'
#!/bin/bash
record=$(find "$2" -name 'outcome-*.json' | head -n 1)
seq "$1" | while read -r i; do printf '%s\0%s\0' "$record" "$2/outcome-20000101T000000.000Z-earlier$i.json"; done | xargs -0 -n 2 -P 2 ln
SCRIPT
chmod 0755 "$work/submit" "$work/earlier"

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# of FIRST LAST COLUMN: the median of these submissions of all users
of() { awk -v first="$1" -v last="$2" -v column="$3" '$1 >= first && $1 <= last { print $column }' "$work"/*.times | median; }

case_begins "a plan and $records records of earlier runs for each of ${#users[@]} users"
for user in "${users[@]}"; do
  for what in measured 'packed onto'; do
    job=$(as_user "$user" sbatch --parsable --energy-aggregate "$work/job.sh" 2>"$site_scratch/err")
    wait_for_job "$job"
    [ "$job_status" -eq 0 ] && grep -q "$what" "$site_scratch/err" || fail "$user: not $what: $(cat "$site_scratch/err")"
  done
  as_user "$user" "$work/earlier" "$records" "$profiles/$user/load/16"
done

case_begins "$submissions submissions of packed jobs, by ${#users[@]} users at once"
begin=$SECONDS
makers=()
for user in "${users[@]}"; do
  as_user "$user" "$work/submit" "$each" "$profiles/$user/load/16" >"$work/$user.times" &
  makers+=($!)
done
for maker in "${makers[@]}"; do wait "$maker" || fail "submissions failed"; done
printf '  %d s\n' $((SECONDS - begin))
middle=$(((each - window) / 2))
for part in "first 1 $window" "middle $((middle + 1)) $((middle + window))" "last $((each - window + 1)) $each"; do
  read -r name first last <<<"$part"
  printf '  %-6s %3d: %5d ms a submission, %5d ms without the option\n' "$name" $(((last - first + 1) * ${#users[@]})) \
    "$(of "$first" "$last" 2)" "$(of "$first" "$last" 3)"
done
packed=$(cat "$work"/*.said | grep -c 'packed onto') || true
[ "$packed" -eq $((each * ${#users[@]})) ] || fail "$packed of $((each * ${#users[@]})) were packed: $(cat "$work"/*.said | sort | uniq -c | sort -n | tail -n 4)"
# Noise is the same for both.
first=$(($(of 1 "$window" 2) - $(of 1 "$window" 3)))
last=$(($(of $((each - window + 1)) "$each" 2) - $(of $((each - window + 1)) "$each" 3)))
[ "$last" -le $((first * 2 + 100)) ] || fail "the plugin costs $first ms at the first submissions, and $last ms at the last ones"

finish
