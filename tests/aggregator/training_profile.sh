# Made-up profiles that follow a simple law, so that models can be trained without a machine; for scripts to source.

# training_profile FILE LABEL CORES_S MEMORY_S PATTERN: 8 ranks that compute serially, whose memory is full at two
training_profile() {
  awk -v label="$2" -v core="$3" -v memory="$4" -v pattern="$5" 'BEGIN {
    split(pattern, p, ":"); on_node = p[1] * p[2] * p[3]; on_package = p[2] * p[3]
    time = core + memory * (on_package > 2 ? on_package / 2 : 1) * (1 + 0.2 * (p[3] - 1))
    printf "{\"format\": \"huddle/profile\", \"version\": 1, \"label\": \"%s\", \"user\": \"\", \"ranks\": 8, ", label
    printf "\"complete\": true, \"program\": {\"executable\": \"/opt/%s\", \"build_id\": \"\", \"arguments\": []}, ", label
    printf "\"mpi\": {\"library\": \"\"}, \"job\": {\"started_at\": \"\"}, \"counters\": {\"measured\": false, \"reason\": \"none\"}, "
    printf "\"rank_records\": ["
    for (rank = 0; rank < 8; ++rank) {
      slot = rank % on_node
      pu = int(slot / on_package) * 4 + int(slot % on_package / p[3]) * 2 + slot % p[3]
      printf "%s{\"rank\": %d, \"node\": \"n%d\", \"pus\": \"%d\", \"run_time_s\": %.6f, \"mpi_time_s\": 0, ", rank ? ", " : "", rank, int(rank / on_node), pu, time
      printf "\"collectives\": [], \"sent\": {\"receiver\": [], \"size_class\": [], \"messages\": [], \"bytes\": []}}"
    }
    print "]}"
  }' >"$1"
}

# training_profiles FOLDER: four programs, from bound by computing to bound by memory, on every pattern of 2 x 2 x 2 cores
training_profiles() {
  local name core memory pattern
  while read -r name core memory; do
    for pattern in 1:1:1 1:1:2 1:2:1 1:2:2 2:1:1 2:1:2 2:2:1 2:2:2; do
      training_profile "$1/$name-$pattern.json" "$name" "$core" "$memory" "$pattern"
    done
  done <<'PROGRAMS'
solver 10 1
stencil 8 6
sort 6 3
stream 2 12
PROGRAMS
}
