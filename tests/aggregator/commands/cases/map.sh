# Sourced by ../cli_test.sh, whose words it uses.

case_map() {
  prints map/cores.txt map "$graph" --hierarchy 2:2:2 --distance 1:10:100
  grep -qE '^huddle: J = 1680 by (auto|identity) in [0-9]+\.[0-9]{3} s$' err || failed "map says: $(cat err)"
  prints map/identity.txt map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --threads 2 --output cores
  same cores map/cores.txt
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --json
  grep -vE '"(seconds|engine)"' out >fixed
  same fixed map/summary.json
  grep -qE '^ "seconds": [0-9.e-]+,$' out || failed "map --json has no seconds"
  grep -qE '^ "engine": "(auto|identity)",$' out || failed "map --json has no engine"

  # The paper's, and only the cores of a pattern: the first of each die.
  prints map/identity.txt map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine kl
  grep -qE '^huddle: J = [0-9]+ by kl in' err || failed "map --engine kl says: $(cat err)"
  huddle map "$graph" --hierarchy 2:2:2:4 --distance 1:10:100:1000 --pattern 2:2:1
  [ "$(sort -n out | tr '\n' ' ')" = "0 2 4 6 8 10 12 14 " ] || failed "map --pattern: $(cat out)"
  huddle map "$graph" --hierarchy 2:2:2:1 --machine system-g --json
  [ "$status" = 0 ] || failed "map with the distances of a machine on file: $(cat err)"
  huddle map "$graph" --hierarchy 2:2:2:1 --machine "$machine" --json
  [ "$status" = 0 ] || failed "map with the distances of a machine: $(cat err)"

  local on="--hierarchy 2:2:2 --distance 1:10:100"
  prints map/profile.txt map "$profile" $on
  [ "$(wc -l <err)" -eq 1 ] || failed "map of a profile says: $(cat err)"
  # J of rank order from the weights of the edges: 8 x 52428800 bytes at distance 100, and so on, in both directions.
  j_of() {
    huddle map "$profile" $on --engine identity --json "$@"
    grep -oE '"objective": [0-9]+' out || failed "map $*: $(cat err)"
  }
  local bytes messages
  bytes=$(j_of) messages=$(j_of --weight messages)
  [ "$bytes" = "$(j_of --weight bytes)" ] || failed "map: bytes are not the default weight"
  [ "$bytes" != "$messages" ] || failed "map --weight messages makes no difference"
  huddle map "$profile" $on --weight time --machine "$machine"
  [ "$status:$(sort -n out | uniq | wc -l)" = 0:8 ] || failed "map --weight time: $status: $(cat err)"

  # Only all-to-alls among all ranks, which favour no grouping.
  sed -E 's/"sent":\{[^}]*\}/"sent":{"receiver":[],"size_class":[],"messages":[],"bytes":[]}/; s/"allreduce"/"alltoall"/' \
    "$profile" >alltoall.json
  huddle map alltoall.json $on
  [ "$status:$(sort -n out | uniq | wc -l)" = 0:8 ] || failed "map without edges: $status: $(cat err)"
  grep -qx 'huddle: the graph has no edges, so grouping has no effect' err || failed "map without edges: $(cat err)"
  grep -qx 'huddle: not in the graph: 6400 bytes by alltoall: as far as the profile shows, every rank .*' err ||
    failed "map without edges says not why: $(cat err)"
  sed 's/"barrier","communicator":"derived","participants":2,"size_class":0,"calls":1,"bytes":0/"reduce","communicator":"derived","participants":2,"size_class":4,"calls":1,"bytes":8/' \
    "$profile" >unknown.json
  huddle map unknown.json $on
  grep -qx 'huddle: not in the graph: 64 bytes by reduce: the profile does not say who took part' err ||
    failed "map says not what is missing: $(cat err)"
}
