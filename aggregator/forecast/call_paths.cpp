#include "aggregator/forecast/call_paths.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

constexpr std::string_view kTau = "=>";
constexpr std::array<std::string_view, 4> kSeparators = {kTau, "->", ";", "/"};
// Stands between the words of a path in a key: no name of a file's cell holds it unquoted.
constexpr char kBetween = '\x1f';

std::string_view separator_of(std::string_view name) {
  for (const std::string_view separator : kSeparators)
    if (name.find(separator) != std::string_view::npos) return separator;
  return {};
}

// A region's name as a path.
struct Path {
  std::string key;                 // its words with kBetween in between
  std::vector<std::size_t> words;  // where in `key` each of them begins
  bool of_tau = false;
};

Path path_of(std::string_view name) {
  Path path;
  const std::string_view separator = separator_of(name);
  path.of_tau = separator == kTau;
  while (!name.empty()) {
    const std::size_t end = separator.empty() ? name.size() : name.find(separator);
    const std::string_view word = trimmed(name.substr(0, end));
    name.remove_prefix(end >= name.size() ? name.size() : end + separator.size());
    if (word.empty()) continue;  // of "/main/solve"
    if (!path.key.empty()) path.key += kBetween;
    path.words.push_back(path.key.size());
    path.key += word;
  }
  return path;
}

using Numbers = std::unordered_map<std::string, std::uint32_t>;

std::optional<std::uint32_t> caller_of(const Path& path, const Numbers& numbers) {
  for (std::size_t word = path.words.size(); word-- > 1;) {
    const auto found = numbers.find(path.key.substr(0, path.words[word] - 1));
    if (found != numbers.end()) return found->second;
  }
  return std::nullopt;
}

// Lower case, without what brackets hold, without blanks around it.
std::string plain_name(std::string_view name) {
  return in_lower_case(trimmed(name.substr(0, name.find_first_of("([{"))));
}

}  // namespace

bool CallPaths::any() const {
  return std::ranges::any_of(caller, [](const auto& known) { return known.has_value(); });
}

CallPaths call_paths_of(const std::vector<std::string>& regions) {
  std::vector<Path> paths;
  Numbers numbers;
  for (std::uint32_t region = 0; region < regions.size(); ++region) {
    paths.push_back(path_of(regions[region]));
    numbers.emplace(paths.back().key, region);
  }
  CallPaths found;
  found.caller.resize(regions.size());
  found.ends.resize(regions.size());
  for (std::uint32_t region = 0; region < regions.size(); ++region)
    found.caller[region] = caller_of(paths[region], numbers);
  for (std::uint32_t region = 0; region < regions.size(); ++region) {
    const Path& path = paths[region];
    if (!path.of_tau || !found.caller[region]) continue;
    const auto end = numbers.find(path.key.substr(path.words.back()));
    if (end != numbers.end()) found.ends[end->second].push_back(region);
  }
  return found;
}

bool is_whole_program(const std::string& region) {
  constexpr std::array<std::string_view, 11> kNames = {
      "main",  "int main", "void main",   "main__",        "_main", ".tau application",
      "total", "program",  "application", "whole program", "whole"};
  const std::string plain = plain_name(region);
  return std::ranges::find(kNames, plain) != kNames.end();
}

}  // namespace huddle
