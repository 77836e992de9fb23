#include "aggregator/forecast/table/name_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kMark = "{}";

// For each length whether the pattern may be as many letters in front of the text.
std::vector<bool> lengths_in_front(std::string_view pattern, std::string_view text) {
  std::vector<bool> reached(text.size() + 1);
  reached[0] = true;
  for (const char c : pattern) {
    if (c == '*') {
      for (std::size_t at = 0; at < text.size(); ++at)
        if (reached[at] && text[at] != '/') reached[at + 1] = true;
      continue;
    }
    for (std::size_t at = text.size(); at > 0; --at)
      reached[at] = reached[at - 1] && text[at - 1] == c;
    reached[0] = false;
  }
  return reached;
}

std::string backwards(std::string_view text) {
  return {text.rbegin(), text.rend()};
}

// The last parts of a path: as many as there are '/' among them, and one.
std::string_view last_parts(std::string_view path, std::ptrdiff_t slashes) {
  std::size_t at = path.size();
  for (; at > 0; --at)
    if (path[at - 1] == '/' && slashes-- == 0) break;
  return path.substr(at);
}

}  // namespace

NamePattern::NamePattern(std::string_view pattern, std::string_view option) {
  const std::size_t mark = pattern.find(kMark);
  if (mark == std::string_view::npos || pattern.find(kMark, mark + 1) != std::string_view::npos)
    throw UsageError(
        fmt::format("{}: expected {{}} once in the pattern, where the value stands, and * for "
                    "whatever differs, as in \"run_{{}}_*.csv\"",
                    option));
  before_ = pattern.substr(0, mark);
  behind_ = pattern.substr(mark + kMark.size());
}

std::vector<std::string_view> NamePattern::readings(std::string_view file) const {
  const std::ptrdiff_t slashes =
      std::ranges::count(before_, '/') + std::ranges::count(behind_, '/');
  const std::string_view name = last_parts(file, slashes);
  const std::vector<bool> begins = lengths_in_front(before_, name);
  const std::vector<bool> ends = lengths_in_front(backwards(behind_), backwards(name));
  std::vector<std::string_view> found;
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    if (!begins[begin]) continue;
    for (std::size_t end = begin + 1; end <= name.size() && name[end - 1] != '/'; ++end)
      if (ends[name.size() - end]) found.push_back(name.substr(begin, end - begin));
  }
  return found;
}

}  // namespace huddle
