#include "aggregator/operations/doctor/plugin_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "aggregator/operations/doctor/node_report.hpp"
#include "aggregator/operations/doctor/plugstack.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
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
  const std::string bytes = files::read_file(file, kMostPluginBytes);
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

namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall = "install the plugin of this version of Huddle on this machine";

Examined wrong_plugin(const std::string& what, const std::string& advice) {
  return {wrong("plugin", what, advice), {}};
}

std::map<std::string, std::string> facts_of(const PluginFacts& plugin) {
  return {{kPluginFact, fmt::format("{} for Slurm {}", plugin.version, plugin.built_for)}};
}

// The plugin's file itself, wherever it was named.
Examined check_file(const PluginPlaces& places, const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure))
    return wrong_plugin(fmt::format("{} is missing", file.string()), kInstall);
  const std::optional<PluginFacts> facts = read_plugin_file(file);
  if (!facts)
    return wrong_plugin(
        fmt::format("{} is not a plugin of this Huddle: it does not hold its version",
                    file.string()),
        kInstall);
  if (!slurm_versions_fit(facts->built_for, places.slurm_version))
    return {wrong("plugin",
                  fmt::format("{} was built for Slurm {}, and Slurm {} does not load it",
                              file.string(), facts->built_for, places.slurm_version),
                  "build and install the plugin for this Slurm"),
            facts_of(*facts)};
  if (facts->version != HUDDLE_VERSION)
    return {wrong("plugin",
                  fmt::format("{} is of Huddle {}, the command of {}", file.string(),
                              facts->version, HUDDLE_VERSION),
                  kInstall),
            facts_of(*facts)};
  return {ok("plugin", fmt::format("{} fits this Slurm", file.string())), facts_of(*facts)};
}

}  // namespace

Examined check_plugin_file(const PluginPlaces& places) {
  try {
    const std::optional<PlugstackLine> line = find_huddle(read_plugstack(places.plugstack));
    if (!line)
      return wrong_plugin(
          fmt::format("no line of {} loads spank_huddle.so", places.plugstack.string()),
          "add the line \"optional spank_huddle.so\", or include plugstack.conf.d/*.conf");
    Examined examined = check_file(places, plugin_file(*line, places.directories));
    if (examined.finding.verdict == Verdict::kOk && line->required)
      examined.finding =
          warning("plugin",
                  fmt::format("{} says \"required\": if the plugin can't be loaded, no job "
                              "starts",
                              line->place),
                  "write \"optional\" instead");
    return examined;
  } catch (const Error& error) {
    return wrong_plugin(error.what(), "let all users read it");
  }
}

Examined check_loaded_plugin(const PluginPlaces& places, const std::optional<PluginFacts>& loaded) {
  if (!loaded) {
    Examined examined = check_plugin_file(places);
    if (examined.finding.verdict == Verdict::kWrong) return examined;
    return wrong_plugin(
        "slurmstepd did not load the plugin, though it is there",
        "see slurmd's log on this node for \"spank\"; slurmd must run as root and read "
        "the same plugstack.conf");
  }
  Examined examined{{}, facts_of(*loaded)};
  if (loaded->version != HUDDLE_VERSION)
    examined.finding = wrong("plugin",
                             fmt::format("the plugin {} is of Huddle {}, the command of {}",
                                         loaded->file.string(), loaded->version, HUDDLE_VERSION),
                             kInstall);
  else
    examined.finding =
        ok("plugin", fmt::format("{} {} is loaded by Slurm {}", loaded->file.string(),
                                 loaded->version, loaded->running_in));
  return examined;
}

Finding check_symbols(std::string_view said) {
  const std::size_t found = said.find(kMissingSymbolMark);
  if (found == std::string_view::npos)
    return ok("symbols", "Slurm's programs have all that the plugin takes from them");
  const std::string_view line = said.substr(found);
  return wrong("symbols", std::string(line.substr(0, line.find('\n'))),
               "use a Slurm that docs/slurm-versions.md names, or report this one");
}

}  // namespace huddle::doctor
