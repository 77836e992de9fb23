#!/usr/bin/env bash
# The manual's table of what becomes of a job and the catalogue say the same: every row, and every option named in it, has a
# case, and every case that stands for a row says what the row says.
# usage: table_test.sh MANUAL
set -euo pipefail
. "$(dirname "$0")/cases.sh"
read_cases

# Lines "ITEM;becomes" of the table. "--begin, --hold" are two items; so are those of "a script with srun -N, -w", which are
# "a script with srun -N" and "a script with srun -w".
items_of_table() {
  sed -n '/^Option or script;Becomes/,/^\.TE/p' "$1" | sed -e '1d;$d' -e 's/\\-/-/g' |
    awk 'function flush_row(   n, i, part, stem) {
           n = split(row[1], part, ", ")
           stem = part[1] ~ /^--/ ? "" : part[1]
           sub(/[^ ]*$/, "", stem)
           for (i = 1; i <= n; i++) if (part[i] != "...") print (i > 1 ? stem : "") part[i] ";" row[2]
         }
         # T{ and T} around a text let it contain line ends.
         /T[{]$/ && !open { head = $0; sub(/T[{]$/, "", head); open = 1; text = head; next }
         open && /^T[}]/ { open = 0; rest = substr($0, 3); text = text rest
                           if (rest ~ /T[{]$/) { sub(/T[{]$/, "", text); open = 1; next }
                           split(text, row, ";"); flush_row(); next }
         open { text = text $0; next }
         { split($0, row, ";"); flush_row() }'
}

failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

declare -A becomes=() covered=()
while IFS=';' read -r item outcome; do becomes[$item]=$outcome; done < <(items_of_table "$1")
[ "${#becomes[@]}" -ge 60 ] || fail "the table of $1 was not understood: ${#becomes[@]} options and scripts found"

for i in "${!case_names[@]}"; do
  while read -r row; do
    [ -n "$row" ] || continue
    covered[$row]=yes
    [ "${becomes[$row]:-}" = "${case_outcomes[i]}" ] ||
      fail "'${case_names[i]}': the manual says '${becomes[$row]:-nothing}' of '$row', the case '${case_outcomes[i]}'"
  done <<<"${case_rows[i]}"
done
for row in "${!becomes[@]}"; do
  [ -n "${covered[$row]:-}" ] || fail "the manual's row '$row' (${becomes[$row]}) has no case"
done
[ "${#case_names[@]}" -ge 80 ] || fail "the catalogue has ${#case_names[@]} cases, fewer than 80"
repeated=$(printf '%s\n' "${case_names[@]}" | sort | uniq -d)
[ -z "$repeated" ] || fail "cases of one name: $repeated"

echo "${#case_names[@]} cases, ${#becomes[@]} options and scripts in the table, $failures differences"
[ "$failures" -eq 0 ]
