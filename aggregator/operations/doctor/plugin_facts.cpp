#include "aggregator/operations/doctor/plugin_facts.hpp"

#include <algorithm>
#include <charconv>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/plugin_mark.hpp"

namespace huddle::doctor {
namespace {

constexpr std::uint64_t kMostPluginBytes = std::uint64_t{256} << 20U;
constexpr std::size_t kLongestMark = 128;

// "22.05.8" and "22.5.8" are the same version.
std::pair<int, int> major_and_minor(std::string_view version) {
  std::pair<int, int> numbers{-1, -1};
  const char* const end = version.data() + version.size();
  const auto first = std::from_chars(version.data(), end, numbers.first);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '.')
    std::from_chars(first.ptr + 1, end, numbers.second);
  return numbers;
}

}  // namespace

std::optional<PluginFacts> read_plugin_file(const std::filesystem::path& file) {
  const std::string bytes = read_file(file, kMostPluginBytes);
  const std::size_t begin = bytes.find(kPluginMark);
  if (begin == std::string::npos) return std::nullopt;
  std::string_view mark = std::string_view(bytes).substr(begin, kLongestMark);
  mark = mark.substr(kPluginMark.size(), mark.find('\0') - kPluginMark.size());
  const std::size_t middle = std::min(mark.find(kPluginMarkSlurm), mark.size());
  PluginFacts facts;
  facts.version = mark.substr(0, middle);
  facts.built_for = mark.substr(std::min(middle + kPluginMarkSlurm.size(), mark.size()));
  facts.file = file;
  return facts;
}

PluginFacts parse_self_report(std::string_view text) {
  PluginFacts facts;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t sign = std::min(line.find('='), line.size());
    const std::string_view name = line.substr(0, sign);
    const std::string value(line.substr(std::min(sign + 1, line.size())));
    if (name == "version") facts.version = value;
    if (name == "built_for") facts.built_for = value;
    if (name == "running_in") facts.running_in = value;
    if (name == "file") facts.file = value;
    if (name == "policy") facts.policy = value;
  }
  return facts;
}

bool slurm_versions_fit(std::string_view built_for, std::string_view running) {
  return major_and_minor(built_for) == major_and_minor(running);
}

}  // namespace huddle::doctor
