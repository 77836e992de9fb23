#include "aggregator/commands/common/command_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace huddle::cli {
namespace {

std::string words_of(const CommandDescription& command) {
  std::string words;
  for (const CommandDescription& subcommand : command.subcommands) words += subcommand.name + " ";
  for (const OptionDescription& option : command.options)
    if (!option.positional) words += option.names.back() + " ";
  return words + "--help";
}

// One line for each option with a value, by the command and the option.
void add_values(const CommandDescription& command, const std::string& path, std::string& cases) {
  for (const OptionDescription& option : command.options) {
    if (option.positional || option.value.empty()) continue;
    std::string patterns;
    for (const std::string& name : option.names)
      patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", path, name);
    const bool is_file = option.choices.empty() && option.value != "N";
    cases += fmt::format(
        "    {}) {} ;;\n", patterns,
        is_file ? "files=yes" : fmt::format("words='{}'", fmt::join(option.choices, " ")));
  }
  for (const CommandDescription& subcommand : command.subcommands)
    add_values(subcommand, path + " " + subcommand.name, cases);
}

void add_commands(const CommandDescription& command, const std::string& path, std::string& cases) {
  cases += fmt::format("    '{}') words='{}' ;;\n", path, words_of(command));
  for (const CommandDescription& subcommand : command.subcommands)
    add_commands(subcommand, path + " " + subcommand.name, cases);
}

// Each "COMMAND WORD" that leads to a subcommand.
void add_steps(const CommandDescription& command, const std::string& path, std::string& steps) {
  for (const CommandDescription& subcommand : command.subcommands) {
    steps += fmt::format("{}'{} {}'", steps.empty() ? "" : "|", path, subcommand.name);
    add_steps(subcommand, path + " " + subcommand.name, steps);
  }
}

std::string quoted_for_fish(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') quoted += '\\';
    quoted += letter == '\n' ? ' ' : letter;
  }
  return quoted + "'";
}

void add_fish(const CommandDescription& command, const std::string& name,
              const std::string& condition, std::string& script) {
  for (const OptionDescription& option : command.options) {
    if (option.positional) continue;
    script += fmt::format("complete -c {} -n {}", name, quoted_for_fish(condition));
    for (const std::string& each : option.names)
      script += each.starts_with("--") ? " -l " + each.substr(2) : " -s " + each.substr(1);
    if (!option.value.empty()) script += " -r";
    if (!option.choices.empty())
      script += fmt::format(" -f -a '{}'", fmt::join(option.choices, " "));
    script += fmt::format(" -d {}\n", quoted_for_fish(option.text));
  }
  std::string names;
  for (const CommandDescription& subcommand : command.subcommands) names += " " + subcommand.name;
  const std::string before = names.empty() ? "" : "not __fish_seen_subcommand_from" + names;
  for (const CommandDescription& subcommand : command.subcommands) {
    const std::string here = condition.empty() ? before : condition + "; and " + before;
    script += fmt::format("complete -c {} -n {} -f -a {} -d {}\n", name, quoted_for_fish(here),
                          subcommand.name, quoted_for_fish(subcommand.text));
    const std::string seen = "__fish_seen_subcommand_from " + subcommand.name;
    add_fish(subcommand, name, condition.empty() ? seen : condition + "; and " + seen, script);
  }
}

}  // namespace

std::string bash_completion(const CommandDescription& command) {
  std::string steps;
  add_steps(command, command.name, steps);
  std::string values;
  add_values(command, command.name, values);
  std::string words;
  add_commands(command, command.name, words);
  return fmt::format(R"(# bash completion for {0}; made by: {0} completion bash
_{0}_complete() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path={0} words='' files='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    # What follows -- is another command's.
    [ "${{COMP_WORDS[i]}}" != -- ] || {{ COMPREPLY=($(compgen -A command -A file -- "$current")); return; }}
    case "$path ${{COMP_WORDS[i]}}" in
    {1}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{2}    *)
    case "$path" in
{3}    esac
    [[ $current == -* || $path == {0} ]] || files=yes ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}}
complete -F _{0}_complete {0}
)",
                     command.name, steps, values, words);
}

std::string fish_completion(const CommandDescription& command) {
  std::string script =
      fmt::format("# fish completion for {0}; made by: {0} completion fish\n", command.name);
  add_fish(command, command.name, "", script);
  return script;
}

}  // namespace huddle::cli
