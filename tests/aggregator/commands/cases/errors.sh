# Sourced by ../cli_test.sh, whose words it uses.

case_errors() {
  local see="see huddle --help"
  echo '{"format": "huddle/profile", "version": 2}' >version.json
  echo '{"format": "huddle/profile"' >broken.json
  printf '3 3\n2\n1\n\n' >bad.graph
  mkfifo pipe
  echo '{"format": "huddle/machine", "version": 1, "name": "m", "node": {"topology": "core:2"}}' >no-power.json
  huddle recommend "$profile" -m "$machine" --plan plan.json

  refuses 2 "huddle has no command \"nonsense\"; $see" nonsense
  refuses 2 "huddle has no command \"recommand\": did you mean recommend?; $see" recommand
  refuses 2 "huddle record: \"--\" is missing before the command that it starts, as in ..." record mpirun -n 2 ./app
  refuses 2 "..." show "$profile" --nonsense
  refuses 2 "huddle show: there is no option --matrx: did you mean --matrix?; see huddle show --help" show "$profile" --matrx m.csv
  refuses 2 "PROFILE is required; $see" show
  refuses 1 "can't open none.json: No such file or directory" show none.json
  refuses 1 "pipe: the file: found something that is not a regular file, expected a regular file" show pipe
  refuses 1 "version.json: field version: found 2, expected 1, the version that this huddle reads" show version.json
  refuses 1 "broken.json: byte 29: found ..." show broken.json
  refuses 2 "$machine is a machine document, which huddle recommend -m takes; huddle show reads profiles and traces" show "$machine"
  refuses 2 "$profile is a profile, which huddle show takes; huddle waitstates reads traces, which ..." waitstates "$profile"
  refuses 2 "$graph is a graph, which huddle map takes; ..." show "$graph"
  refuses 2 "/bin/ls is a program or a library, which huddle record -- takes; ..." show /bin/ls
  refuses 1 "$machine: field format: found \"huddle/machine\", expected \"huddle/profile\"" recommend "$machine" -m "$machine"
  refuses 2 "--matrix m.jpg: expected a name that ends in .csv or .svg" show "$profile" --matrix m.jpg
  refuses 2 "..." show "$profile" --traffic sneakernet
  refuses 2 "..." report --jobs --json
  refuses 2 "--since yesterday: expected a day or a time of UTC such as 2026-11-22 or 2026-11-22T08:30:00Z" \
    report --store . --since yesterday
  refuses 1 "can't create no/m.csv: No such file or directory" show "$profile" --matrix no/m.csv

  printf '0,1\n2,x\n' >bad.csv
  refuses 1 "bad.csv: line 2, column 3: found \"x\", expected a whole number of bytes" import csv bad.csv -o p.json
  refuses 1 "can't open none.csv: No such file or directory" import csv none.csv -o p.json
  refuses 2 "import csv takes 2 file(s) at most, 3 were named" import csv a b c -o p.json
  refuses 2 "import metis takes 1 file(s) at most, 2 were named" import metis a b -o p.json
  refuses 2 "--output p.txt: expected a name that ends in .json or .cbor" import csv bad.csv -o p.txt
  refuses 2 "--output is required; $see" import csv bad.csv
  refuses 2 "KIND: xml not in {csv,openmpi,metis}; $see" import xml a -o p.json
  printf 'E\t1\t0\t1 bytes\t1 msgs sent\n' >run.0.prof
  refuses 1 "run.0.prof: line 1, column 3: found \"1\", expected 0, the rank that the file's name says" \
    import openmpi run.0.prof -o p.json
  refuses 1 "bad.graph: line ..." import metis bad.graph -o p.json
  [ ! -e p.json ] || failed "a failed import leaves a file"

  refuses 2 "--slowdown 200%: expected a share from 0 to 1 such as 5% or 0.05" \
    recommend "$profile" -m "$machine" --slowdown 200%
  refuses 2 "--frequency fast: expected keep, auto, a frequency such as 1.8GHz, or a range such as 1.2GHz-2.4GHz" \
    recommend "$profile" -m "$frequencies" --frequency fast
  refuses 2 "--frequency 2GHz-1GHz: expected keep..." recommend "$profile" -m "$frequencies" --frequency 2GHz-1GHz
  refuses 2 "the machine package2-die2-core2 has no frequencies to choose from: add \"frequencies\" to its document" \
    recommend "$profile" -m "$machine" --frequency auto
  refuses 2 "the machine package2-die2-core2-frequencies has no frequency in that range: it has 1 GHz to 2 GHz" \
    recommend "$profile" -m "$frequencies" --frequency 3GHz
  refuses 2 "the pattern 1:1:3 does not fit on a node of 2:2:2" recommend "$profile" -m "$machine" --reference 1:1:3
  refuses 2 "\"two\" is not a pattern..." recommend "$profile" -m "$machine" --reference two
  refuses 2 "--reference nodes needs --nodes" recommend "$profile" -m "$machine" --reference nodes
  refuses 2 "8 ranks can't be spread over 9 nodes" recommend "$profile" -m "$machine" --reference nodes --nodes 9
  refuses 2 "--objective: speed not in {edp,energy,time}; $see" recommend "$profile" -m "$machine" --objective speed
  refuses 2 "..." recommend "$profile" -m "$machine" --nodes -1
  refuses 1 "no pattern is feasible, so there is no plan: see the reasons in the table" \
    recommend "$profile" -m "$machine" --nodes 1 --plan p.json
  refuses 1 "can't replace pipe: it is not a regular file" recommend "$profile" -m "$machine" --plan pipe
  [ -p pipe ] || failed "a pipe was replaced by a file"

  refuses 1 "the plan needs 4 nodes and there are 1" emit plan.json --as slurm --hosts north
  refuses 2 "--as: pbs not in {mpich,openmpi,slurm}; $see" emit plan.json --as pbs --hosts a
  refuses 2 "--hosts is required; $see" emit plan.json --as slurm
  refuses 1 "can't open none.json: No such file or directory" emit none.json --as slurm --hosts a

  refuses 2 "hierarchy \"2:x\": expected ..." map "$graph" --hierarchy 2:x --distance 1:2
  refuses 2 "..." map "$graph" --hierarchy 2:2 --distance 1
  refuses 2 "..." map "$graph" --hierarchy 2:2 --distance 1:2
  refuses 2 "..." map "$graph" --hierarchy 8 --distance 1 --engine magic
  refuses 2 "--threads: Value 0 not in range 1 to 1024; $see" map "$graph" --hierarchy 8 --distance 1 --threads 0
  refuses 1 "bad.graph: line ..." map bad.graph --hierarchy 8 --distance 1
  refuses 2 "--weight: colour not in {bytes,messages,time}; $see" map "$profile" --hierarchy 8 --distance 1 --weight colour
  refuses 2 "--weight time needs --machine: ..." map "$profile" --hierarchy 8 --distance 1 --weight time
  refuses 2 "there is no file nowhere and no machine of that name on file: expected this or one of dual-64, juropa, opteron-6168, system-g, xeon-x5560" map "$graph" --hierarchy 2:2:2:2 --machine nowhere
  refuses 2 "--distance is missing: ..." map "$profile" --hierarchy 8
  refuses 2 "--pattern is for a hierarchy of cores, dies, packages and nodes, ..." map "$profile" --hierarchy 8:2 --distance 1:2 --pattern 1:1:1
  refuses 2 "there is no pattern 2:1:3 on nodes of 2 packages x 2 dies x 2 cores" map "$graph" --hierarchy 2:2:2:4 --distance 1:2:3:4 --pattern 2:1:3
  refuses 2 "--weight is for profiles (.json or .cbor), and ..." map "$graph" --hierarchy 8 --distance 1 --weight bytes
  refuses 1 "can't open none.json: No such file or directory" \
    map "$profile" --hierarchy 8 --distance 1 --weight time -m none.json

  refuses 2 "--link disk=1,2: expected die=, package=, node= or network= in front" \
    machine --topology "core:2 pu:1" --link disk=1,2
  refuses 2 "--link die=0,1: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=0,1
  refuses 2 "--link die=1: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=1
  refuses 2 "--link die=1,nan: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=1,nan
  refuses 2 "--link die=1,inf: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=1,inf
  refuses 1 "nonsense:1: synthetic topology: found \"nonsense:1\", expected ..." machine --topology nonsense:1

  local trace=$tests/fixtures/traces/score-p-ping-pong
  refuses 2 "TRACE is required; $see" waitstates
  refuses 2 "..." waitstates "$trace" --json --csv
  refuses 2 "--by: colour not in {callpath,pattern,rank}; $see" waitstates "$trace" --by colour
  refuses 2 "there is no file nowhere and no machine of that name on file: ..." waitstates "$trace" --machine nowhere
  refuses 1 "the machine m has no power figures: add \"power_states\"..." waitstates "$trace" --machine no-power.json
  refuses 2 "what if \"faster\": ..." waitstates "$trace" --what-if faster
  refuses 2 "..." waitstates "$trace" --profile p.json
  refuses 1 "can't open none.json: No such file or directory" waitstates "$trace" --profile none.json --output q.json
  refuses 1 "..." waitstates none
  refuses 1 "can't create no/page.html: No such file or directory" waitstates "$trace" --html no/page.html

  refuses 2 "--label is required; $see" plan --ranks 8
  refuses 2 "--ranks is required; $see" plan --label pairs
  refuses 2 "--label excludes --request; $see" plan --request request.json --label pairs
  refuses 1 "can't open request.json: No such file or directory" plan --request request.json
  refuses 1 "standard input: the file: found nothing in it, expected..." plan --request -
  refuses 2 "--ranks: Value 0 not in range 1 to 2147483648; $see" plan --label pairs --ranks 0
  refuses 2 "--nodes: Value 0 not in range 1 to 4294967295; $see" plan --label a --ranks 8 --nodes 0

  "$HUDDLE" show "$profile" >/dev/full 2>err
  status=$?
  [ "$status:$(cat err)" = "1:huddle: can't write the standard output: No space left on device" ] ||
    failed "a full disk: $status: $(cat err)"
}
