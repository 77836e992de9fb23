# The language of the catalogue's cases, for run_test.sh and table_test.sh to source. A case is a function call with the
# batch script on its standard input:
#
#   packed 'ranks of several cores' row=--cpus-per-task options=--cpus-per-task=2 <<'END'
#   srun ./heat
#   END
#
# The function says what becomes of the job: `packed`, `kept` (measured, then left as submitted), `left` (as submitted from
# the first time on) or `said` (nothing is submitted). The first word is the case's name. Then follow, all optional:
#
#   row=ITEM        what it stands for in the manual's table "What becomes of a job"; may be given several times
#   options=WORDS   of the submission, in place of none; the shell expands them, with $folder for the case's own folder
#   size=WORDS      in place of --nodes=4 --ntasks=4
#   submit=COMMAND  in place of: sbatch "${batch[@]}" job.sh. ${job[@]} holds the options without those that only sbatch has
#   because=ERE     of `kept` and `left`: what the submission's line matches, behind "left as submitted"
#   line=ERE        of `kept`: what the line of its last submission matches, where the job is not left as submitted
#   measured=ERE    in place of "this run is measured", for the first run with the option
#   again=ERE       of `packed`: in place of "measured on N nodes filled ...", for the second one
#   says=ERE        what the record of a step of the measured job says, which no step prints
#   ends=STATUS     how the job ends in all runs; default 0
#   ranks=N         how many ranks of ./heat print where they are; default 4
#   on=N            at most how many nodes packed ranks use; default 2
#   later=WHAT      what happens to the job from outside: release, signal, requeue
#   nodes=whole     the script is for whole nodes only: not run where nodes are shared
#   needs=PROGRAM   without which the case is skipped, in sight
#
# A script without a first line #! is one of bash. In it ./heat stands for an MPI program with short arguments whose ranks
# print lines "RANK NODE PUS"; ./cool is another one, in Fortran, and ./die one that fails.

catalogue_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case_names=() case_outcomes=() case_rows=() case_settings=() case_scripts=() case_parts=()

add_case() {
  local outcome=$1 name=$2 word rows='' settings=''
  shift 2
  for word in "$@"; do
    case $word in
      row=*) rows+=${word#row=}$'\n' ;;
      options=* | size=* | submit=* | because=* | line=* | measured=* | again=* | says=* | ends=* | ranks=* | on=* | nodes=* | needs=* | later=*)
        settings+=$word$'\n' ;;
      *) echo "$name: '$word' is no word of a case" >&2; exit 1 ;;
    esac
  done
  case_names+=("$name") case_outcomes+=("$outcome") case_rows+=("$rows") case_settings+=("$settings")
  case_scripts+=("$(cat)") case_parts+=("$part")
}

packed() { add_case packed "$@"; }
kept() { add_case kept "$@"; }
unmeasured() { add_case unmeasured "$@"; }
left() { add_case left "$@"; }
said() { add_case said "$@"; }

# setting CASE KEY DEFAULT
setting() {
  local found
  found=$(sed -n "s/^$2=//p" <<<"${case_settings[$1]}")
  echo "${found:-$3}"
}

read_cases() { # the parts to read; default: all
  local file
  for part in "${@:-*}"; do
    for file in "$catalogue_here"/cases/$part.sh; do
      part=$(basename "$file" .sh)
      . "$file"
    done
  done
}
