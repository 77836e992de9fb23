# Sourced by ../cli_test.sh, whose words it uses.

# timed PATTERN NODES JOB MINUTE SECONDS: a job of /opt/pairs that ended well, as profiles/store/timed_runs.hpp stores it
timed() {
  local identity=$'abc\npairs\n'$1$'\n'$2 hash=$((16#cbf29ce484222325)) i
  for ((i = 0; i < ${#identity}; i++)); do
    hash=$(((hash ^ $(printf '%d' "'${identity:i:1}")) * 1099511628211))
  done
  printf '%d %d.0 2026-11-24T08:%s:00.000Z %s - 0 /opt/pairs\n' "$3" "$3" "$4" "$5" \
    >"$(printf '%s/timed-%016x-2026-11-24T08:%s:00.000Z-%d.0' "$folder" "$hash" "$4" "$3")"
}

# asked EXPLORE [MEMBER...]: what a submission of the job asks
asked() {
  local explore=$1
  shift
  printf '{%s"user": "ann", "label": "pairs", "ranks": 8, "store": "store", "nodes": 8, "script": "abc", "machine": "%s", "explore": "%s"}' \
    "$*" "$machine" "$explore"
}

# recorded JOB MINUTE TREATMENT EXPLORE [MEMBER...]: the record of a job
recorded() {
  local job=$1 minute=$2 treatment=$3 explore=$4
  shift 4
  cat >"$folder/outcome-20261124T08${minute}00.000Z-$job.0-pid1.json" <<END
{"format": "huddle/outcome", "version": 1, "user": "ann", "label": "pairs", "ranks": 8, "script": "abc", "treatment": "$treatment", "reason": "what it was told", "request": $(asked "$explore"), $* "run": {"cluster": "site", "job": $job, "step": 0, "nodes": 8, "start": "2026-11-24T08:$minute:00.000Z"}, "end": {"elapsed_s": 1010.0, "status": 0}}
END
}

# explained GOLDEN ARGUMENT...: as prints, but for where this tree is, plans' names, which depend on it, and last digits, which
# depend on the compiler
explained() {
  local expected=$1
  shift
  huddle explain --store store --user ann "$@"
  [ "$status" -eq 0 ] || failed "huddle explain $*: status $status: $(cat err)"
  sed -E -e 's/plan-[0-9a-f]{16}/plan-HASH/; s/("slowdown.*\.[0-9]{4})[0-9]+/\1/' -e "s#$tests/#tests/#; s#$work#WORK#" out >explained
  same explained "explain/$expected"
}

case_explain() {
  local folder=store/ann/pairs/8 nowhere=(--store "$tests/fixtures/outcomes" --user ann)
  # The site's policy is found as the plugin finds it; here there is none.
  export SLURM_CONF=$work/slurm/slurm.conf
  mkdir slurm bin
  # In these jobs each rank has a core, and memory costs nothing.
  cat >bin/sacct <<'SCRIPT'
#!/bin/sh
echo '101|1793606400|120|8|0|billing=64,cpu=64,node=8
101.0|1793606400|120|8|0|cpu=64,node=8
102|1793692800|122|2|0|billing=16,cpu=16,node=2
102.0|1793692800|122|2|0|cpu=16,node=2'
SCRIPT
  chmod +x bin/sacct
  local PATH=$PWD/bin:$PATH
  echo "optional spank_huddle.so policy=$work/huddle.toml" >slurm/plugstack.conf
  echo 'slowdown = 0.05' >huddle.toml
  prints explain/records.txt explain halo "${nowhere[@]}"
  prints explain/array.txt explain 106 "${nowhere[@]}"
  # A step in the notation that this prints; another step of the job is not it.
  prints explain/step.txt explain 108.0 "${nowhere[@]}"
  refuses 1 "no record of job 108.7 of user ann in ..." explain 108.7 "${nowhere[@]}"
  huddle explain heat "${nowhere[@]}" --json
  [ "$status" -eq 0 ] || failed "explain --json: status $status: $(cat err)"
  sed "s#$work#WORK#" out >explained && same explained explain/records.json
  refuses 1 "nothing is stored of \"nope\" of user ann in $tests/fixtures/outcomes, but of these labels: halo, heat" explain nope "${nowhere[@]}"
  refuses 1 "no record of job 99 of user ann in $tests/fixtures/outcomes, but 8 of others, the last one of job 110 with 64 ranks" \
    explain 99 "${nowhere[@]}"
  refuses 1 'nothing is stored of "halo" of user ann in empty, nor anything else' explain halo --user ann --store empty

  mkdir -p "$folder" && cp "$profile" "$folder/profile-1.json"
  explained no-request.txt pairs
  printf '[machine]\nfile = "%s"\n' "$machine" >>huddle.toml
  recorded 9 00 measured no
  # Nothing covers fewer nodes, so a second run is measured; to ask for it changes nothing.
  local before
  before=$(ls "$folder")
  explained second-sample.txt pairs
  [ "$(ls "$folder")" = "$before" ] || failed "explain leaves files: $(ls "$folder")"
  # A plan that was tried, and runs on both numbers of nodes.
  asked trial '"format": "huddle/plan-request", "version": 1, ' >request
  huddle plan --request request --json
  [ "$status" -eq 0 ] || failed "huddle plan: $(cat err)"
  timed "" 8 10 00 1000.000
  recorded 12 20 packed trial "\"plan\": \"$(ls "$folder"/plan-*.json)\","
  explained untried.txt pairs
  timed 1:1:2 4 12 20 1010.000
  timed "" 8 11 10 1002.000
  explained packed.txt 12
  explained packed.json pairs --json
  timed 1:1:2 4 13 30 1600.000
  explained withdrawn.txt pairs
  # A plan that is cut short counts as missing, and is made anew by the next submission.
  local plan
  plan=$(ls "$folder"/plan-*.json)
  cp "$plan" whole && head -c 100 whole >"$plan"
  huddle explain pairs --store store --user ann
  [ "$status" -eq 0 ] && grep -q "^  plan:     $plan: byte 101: found " out && grep -q "^  next:     as submitted, since its plan is withdrawn: 2 packed runs took" out ||
    failed "explain with a broken plan: $(cat out err)"
  cp whole "$plan"
  # A plan that a newer profile was not used for says nothing of the next job.
  sed 's/"started_at": "2024/"started_at": "2025/' "$profile" >"$folder/profile-2.json"
  touch -d '+1 minute' "$folder/profile-2.json"
  huddle explain pairs --store store --user ann --json
  grep -q '"by_stored_plan": false' out || failed "explain with a newer profile: $(cat out err)"
  # The reason for which a job was left before anything was asked holds again.
  sed 's/"request": {[^}]*}, //; s/"packed"/"left"/; s/"plan": "[^"]*",//; s/T08:20/T08:40/' "$folder"/outcome-*-12.0-pid1.json \
    >"$folder/outcome-20261124T084000.000Z-13.0-pid1.json"
  huddle explain pairs --store store --user ann
  grep -q '^  next:     as submitted, since what it was told$' out || failed "explain, nothing asked: $(cat out err)"
  echo 'enabled = false' >huddle.toml
  huddle explain pairs --store store --user ann
  grep -q "^  next:     as submitted, since Huddle is switched off here: $work/huddle.toml has enabled = false$" out ||
    failed "explain, switched off: $(cat out err)"
  : >huddle.stop
  huddle explain pairs --store store --user ann
  grep -q "^stopped: $work/huddle.stop exists" out && grep -q "^  next:     as submitted, since Huddle is switched off here: $work/huddle.stop exists$" out ||
    failed "explain, stopped: $(cat out err)"
  huddle explain pairs --store store --user ann --json
  python3 -c 'import json
explained = json.load(open("out"))
assert explained["stopped"].endswith("/huddle.stop") and explained["stop_files"] == ["/etc/slurm/huddle.stop", explained["stopped"]]' ||
    failed "explain --json, stopped: $(cat out)"
  rm huddle.stop
  echo 'enabled = "no' >huddle.toml
  huddle explain pairs --store store --user ann
  grep -q "^  next:     as submitted, since the policy is broken: $work/huddle.toml: line 1, column 11: found a text with a missing quote" out ||
    failed "explain, a broken policy: $(cat out err)"
  # Root does not read what another user could have replaced, but for records.
  if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$work" # root reads records as their owner
    chown -R nobody store/ann
    huddle explain pairs --store store --user nobody
    [ "$status" -eq 1 ] || failed "explain finds what is not there: $(cat out)"
    mv store/ann store/nobody
    huddle explain pairs --store store --user nobody
    grep -q 'next:     not known: these files can be changed by somebody whom root must not trust' out ||
      failed "explain as root: $(cat out err)"
  fi
}
