#include "aggregator/commands/common/command_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "aggregator/render/output_width.hpp"

namespace huddle::cli {
namespace {

constexpr std::size_t kColumn = 26;

std::string join(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string value_text(const OptionDescription& option) {
  std::string text = option.choices.empty() ? option.value : join(option.choices, "|");
  if (option.several) text += "...";
  return text;
}

std::string left_side(const OptionDescription& option) {
  if (option.positional) return option.several ? option.names[0] + "..." : option.names[0];
  const std::string value = value_text(option);
  return join(option.names, ", ") + (value.empty() ? "" : " " + value);
}

std::string right_side(const OptionDescription& option) {
  std::vector<std::string> remarks;
  if (option.required && !option.positional && option.text.find("required") == std::string::npos)
    remarks.emplace_back("required");
  if (!option.range.empty()) remarks.push_back(option.range);
  if (!option.default_value.empty()) remarks.push_back("default: " + option.default_value);
  if (remarks.empty()) return option.text;
  return fmt::format("{} ({})", option.text, join(remarks, "; "));
}

// The first of perhaps many sentences, for which a list has room.
std::string first_sentence(const std::string& text) {
  const std::size_t end = std::min({text.find(". "), text.find('\n'), text.size()});
  std::string sentence = text.substr(0, end);
  while (sentence.ends_with('.') || sentence.ends_with(':')) sentence.pop_back();
  return sentence;
}

// Two columns: what is typed, and what it means.
std::string row(const std::string& left, const std::string& right, std::size_t width) {
  std::string text = "  " + left;
  if (text.size() + 2 > kColumn)
    text += "\n" + std::string(kColumn, ' ');
  else
    text.resize(kColumn, ' ');
  return text + wrapped(right, kColumn, width) + "\n";
}

std::string usage(const CommandDescription& command) {
  std::string text = "usage: " + command.name;
  if (!command.options.empty() &&
      std::any_of(command.options.begin(), command.options.end(),
                  [](const OptionDescription& option) { return !option.positional; }))
    text += " [OPTION...]";
  for (const OptionDescription& option : command.options) {
    if (!option.positional) continue;
    const std::string name = left_side(option);
    text += option.required ? " " + name : fmt::format(" [{}]", name);
  }
  if (!command.subcommands.empty()) text += " COMMAND ...";
  return text + "\n";
}

std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before(other.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::vector<std::size_t> row = {i + 1};
    for (std::size_t j = 0; j < other.size(); ++j)
      row.push_back(
          std::min({before[j + 1] + 1, row[j] + 1, before[j] + (one[i] == other[j] ? 0U : 1U)}));
    before = std::move(row);
  }
  return before.back();
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = indent;
  bool first_in_line = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (!first_in_line && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
      first_in_line = true;
    }
    if (!first_in_line) lines += ' ', ++column;
    lines += word;
    column += word.size();
    first_in_line = false;
    if (end < text.size() && text[end] == '\n') {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
      first_in_line = true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string help_page(const CommandDescription& command, std::size_t width) {
  std::string text = usage(command) + "\n" + wrapped(command.text, 0, width) + "\n";
  const bool has_arguments =
      std::any_of(command.options.begin(), command.options.end(),
                  [](const OptionDescription& option) { return option.positional; });
  if (has_arguments) text += "\nArguments:\n";
  for (const OptionDescription& option : command.options)
    if (option.positional) text += row(left_side(option), right_side(option), width);
  text += "\nOptions:\n";
  for (const OptionDescription& option : command.options)
    if (!option.positional) text += row(left_side(option), right_side(option), width);
  text += row("-h, --help", "print this help and exit", width);
  if (!command.subcommands.empty()) text += "\nCommands:\n";
  for (const CommandDescription& subcommand : command.subcommands)
    text += row(subcommand.name, first_sentence(subcommand.text), width);
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : command.examples) {
    if (!example.text.empty()) text += "  # " + wrapped(example.text, 4, width) + "\n";
    text += "  " + example.command + "\n";
  }
  return text;
}

std::size_t help_width() {
  constexpr std::size_t kMost = 100;
  return std::min(render::output_width().value_or(kMost), kMost);
}

std::string nearest_subcommand(const CommandDescription& command, std::string_view word) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const CommandDescription& subcommand : command.subcommands) {
    const std::size_t changes = distance(word, subcommand.name);
    if (changes >= least) continue;
    least = changes;
    nearest = subcommand.name;
  }
  return nearest;
}

}  // namespace huddle::cli
