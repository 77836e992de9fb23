# Sourced by ../cli_test.sh, whose words it uses.

# Prints what bash would offer behind these words, by the script that huddle itself prints.
completions() {
  bash -c 'source <("$1" completion bash); shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _huddle_complete; printf "%s\n" "${COMPREPLY[@]}"' - "$HUDDLE" "$@"
}

case_completion() {
  completions huddle rec | sort | paste -sd' ' | grep -qx 'recommend record' || failed "commands: $(completions huddle rec)"
  completions huddle recommend --ob | grep -qx -- --objective || failed "options: $(completions huddle recommend --ob)"
  completions huddle recommend --objective '' | sort | paste -sd' ' | grep -qx 'edp energy time' ||
    failed "values: $(completions huddle recommend --objective '')"
  completions huddle forecast collect --siz | grep -qx -- --size-argument || failed "options of a command below another"
  touch rows.csv
  completions huddle forecast ro | grep -qx rows.csv || failed "files: $(completions huddle forecast ro)"
  huddle completion zsh
  grep -q bashcompinit out || failed "zsh: $(cat out)"
  huddle completion fish
  grep -q "complete -c huddle -n '__fish_seen_subcommand_from recommend' -l objective" out || failed "fish: $(cat out)"
}
