#include "aggregator/operations/doctor/plugin_check.hpp"

#include <fmt/format.h>

#include <system_error>

#include "aggregator/operations/doctor/node_report.hpp"
#include "aggregator/operations/doctor/plugstack.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall = "install the plugin of this version of Huddle on this machine";

Examined wrong(const std::string& what, const std::string& advice) {
  return {{"plugin", Verdict::kWrong, what, advice, {}}, {}};
}

std::map<std::string, std::string> facts_of(const PluginFacts& plugin) {
  return {{kPluginFact, fmt::format("{} for Slurm {}", plugin.version, plugin.built_for)}};
}

// The plugin's file itself, wherever it was named.
Examined check_file(const PluginPlaces& places, const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure))
    return wrong(fmt::format("{} is missing", file.string()), kInstall);
  const std::optional<PluginFacts> facts = read_plugin_file(file);
  if (!facts)
    return wrong(fmt::format("{} is not a plugin of this Huddle: it does not tell its version",
                             file.string()),
                 kInstall);
  if (!slurm_versions_fit(facts->built_for, places.slurm_version))
    return {{"plugin",
             Verdict::kWrong,
             fmt::format("{} was built for Slurm {}, and Slurm {} does not load it", file.string(),
                         facts->built_for, places.slurm_version),
             "build and install the plugin for this Slurm",
             {}},
            facts_of(*facts)};
  if (facts->version != HUDDLE_VERSION)
    return {{"plugin",
             Verdict::kWrong,
             fmt::format("{} is of Huddle {}, the command of {}", file.string(), facts->version,
                         HUDDLE_VERSION),
             kInstall,
             {}},
            facts_of(*facts)};
  return {{"plugin", Verdict::kOk, fmt::format("{} fits this Slurm", file.string()), "", {}},
          facts_of(*facts)};
}

}  // namespace

Examined check_plugin_file(const PluginPlaces& places) {
  try {
    const std::optional<PlugstackLine> line = find_huddle(read_plugstack(places.plugstack));
    if (!line)
      return wrong(fmt::format("no line of {} loads spank_huddle.so", places.plugstack.string()),
                   "add the line \"optional spank_huddle.so\", or include plugstack.conf.d/*.conf");
    Examined examined = check_file(places, plugin_file(*line, places.directories));
    if (examined.finding.verdict == Verdict::kOk && line->required)
      examined.finding = {"plugin",
                          Verdict::kWarning,
                          fmt::format("{} says \"required\": if the plugin can't be loaded, no job "
                                      "starts",
                                      line->place),
                          "write \"optional\" instead",
                          {}};
    return examined;
  } catch (const Error& error) {
    return wrong(error.what(), "let all users read it");
  }
}

Examined check_loaded_plugin(const PluginPlaces& places, const std::optional<PluginFacts>& loaded) {
  if (!loaded) {
    Examined examined = check_plugin_file(places);
    if (examined.finding.verdict == Verdict::kWrong) return examined;
    return wrong("slurmstepd did not load the plugin, though it is there",
                 "see slurmd's log on this node for \"spank\"; slurmd must run as root and read "
                 "the same plugstack.conf");
  }
  Examined examined{{}, facts_of(*loaded)};
  if (loaded->version != HUDDLE_VERSION)
    examined.finding = {"plugin",
                        Verdict::kWrong,
                        fmt::format("the plugin {} is of Huddle {}, the command of {}",
                                    loaded->file.string(), loaded->version, HUDDLE_VERSION),
                        kInstall,
                        {}};
  else
    examined.finding = {"plugin",
                        Verdict::kOk,
                        fmt::format("{} {} is loaded by Slurm {}", loaded->file.string(),
                                    loaded->version, loaded->running_in),
                        "",
                        {}};
  return examined;
}

}  // namespace huddle::doctor
