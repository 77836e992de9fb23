#include "spank_plugin/launch/program_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::launch {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

/// The lines of a list, each with those that continue it.
class ListLines {
 public:
  explicit ListLines(std::string_view text) : rest_(text) {}

  // False at the end.
  bool next() {
    if (rest_.empty()) return false;
    line_.clear();
    bool goes_on = true;
    for (first_ = last_ + 1; goes_on && !rest_.empty(); ++last_) {
      line_ += take_until(rest_, '\n');
      goes_on = line_.ends_with('\\');
      if (goes_on) line_.pop_back();
    }
    return true;
  }
  [[nodiscard]] std::string_view text() const { return line_; }
  [[nodiscard]] Error error(std::string_view what) const {
    return Error(fmt::format("line {} of its list of programs {}", first_, what));
  }

 private:
  std::string_view rest_;
  std::string line_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

// Nothing if a quote has no end.
std::optional<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (kBlanks.find(character) != std::string_view::npos) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (character == '\'') {
      const std::size_t end = text.find('\'', i + 1);
      if (end == std::string_view::npos) return std::nullopt;
      words.back() += text.substr(i + 1, end - i - 1);
      i = end;
    } else if (character != '\\') {
      words.back() += character;
    } else if (i + 1 < text.size()) {
      words.back() += text[++i];
    }
  }
  return words;
}

}  // namespace

std::vector<std::vector<std::string>> commands_in_list(std::string_view text) {
  std::vector<std::vector<std::string>> commands;
  for (ListLines lines(text); lines.next();) {
    std::string_view line = lines.text();
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty() || line.front() == '#') continue;
    line.remove_prefix(std::min(line.find_first_of(kBlanks), line.size()));  // its ranks
    auto words = words_of(line);
    if (!words) throw lines.error("has a quote without an end");
    if (words->empty()) throw lines.error("has ranks and no program");
    commands.push_back(std::move(*words));
  }
  if (commands.empty()) throw Error("its list of programs is empty");
  return commands;
}

}  // namespace huddle::launch
