# Sourced by ../cli_test.sh, whose words it uses.

case_emit() {
  local launcher
  huddle recommend "$profile" -m "$machine" --plan plan.json
  for launcher in slurm openmpi mpich; do
    prints "emit/$launcher.txt" emit plan.json --as "$launcher" --hosts north,east,south,west
    prints "emit/$launcher.txt" emit plan.json --as "$launcher" --hosts north east south west spare
  done
}
