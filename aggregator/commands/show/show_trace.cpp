// The output of huddle show for a trace.

#include "aggregator/commands/show/show_sections.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "aggregator/render/heatmap/pair_matrix.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/summary/trace_summary.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/traces/trace.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

constexpr std::size_t kMostRegions = 20;
constexpr std::size_t kMostRemarks = 20;

std::string_view name_of(traces::TraceRegion::Kind kind) {
  switch (kind) {
    case traces::TraceRegion::Kind::kMpi:
      return "MPI";
    case traces::TraceRegion::Kind::kOpenmpBarrier:
    case traces::TraceRegion::Kind::kOpenmp:
      return "OpenMP";
    case traces::TraceRegion::Kind::kThreadLock:
      return "lock";
    case traces::TraceRegion::Kind::kUser:
      break;
  }
  return "user";
}

double seconds(const render::TraceSummary& summary, std::uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(summary.definitions.ticks_per_second);
}

std::size_t nodes_of(const render::TraceSummary& summary) {
  std::set<std::string_view> nodes;
  for (const traces::TraceRank& rank : summary.definitions.ranks)
    if (!rank.node.empty()) nodes.insert(rank.node);
  return nodes.size();
}

std::string identity_text(const std::filesystem::path& path, const render::TraceSummary& summary) {
  const traces::TraceDefinitions& definitions = summary.definitions;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, printable(value));
  };
  const std::size_t nodes = nodes_of(summary);
  line("trace", path.string());
  line("ranks", nodes == 0
                    ? fmt::format("{}, nodes not known", definitions.ranks.size())
                    : fmt::format("{} on {}", definitions.ranks.size(), pluralize(nodes, "node")));
  line("threads", fmt::format("{}", definitions.locations.size()));
  line("clock", fmt::format("{} ticks a second", definitions.ticks_per_second));
  line("duration", fmt::format("{:.6f} s from the first event to the last",
                               seconds(summary, summary.end - summary.begin)));
  line("events", fmt::format("{}", summary.events));
  line("messages", fmt::format("{} sent, {} received, {}", summary.sent, summary.received,
                               render::human_bytes(summary.bytes)));
  line("collectives", fmt::format("{} in {}", pluralize(summary.collectives, "call"),
                                  pluralize(definitions.communicators.size(), "communicator")));
  if (!definitions.windows.empty())
    line("one-sided", fmt::format("{} in {}", summary.one_sided,
                                  pluralize(definitions.windows.size(), "window")));
  return text;
}

std::string regions_text(const render::TraceSummary& summary) {
  if (summary.regions.empty()) return {};
  using Align = render::Table::Align;
  render::Table table(
      {{"region", Align::kLeft}, {"of", Align::kLeft}, {"visits"}, {"own s"}, {"own %"}});
  for (std::size_t i = 0; i < std::min(summary.regions.size(), kMostRegions); ++i) {
    const render::RegionSummary& row = summary.regions[i];
    const traces::TraceRegion& region = summary.definitions.regions[row.region];
    const double share = summary.inside == 0 ? 0
                                             : 100 * static_cast<double>(row.ticks) /
                                                   static_cast<double>(summary.inside);
    table.add({printable(shortened(region.name, 60)), std::string(name_of(region.kind)),
               fmt::format("{}", row.visits), fmt::format("{:.6f}", seconds(summary, row.ticks)),
               fmt::format("{:.1f}", share)});
  }
  std::string text = "\n" + table.text();
  if (summary.regions.size() > kMostRegions)
    text += fmt::format("{} more\n", summary.regions.size() - kMostRegions);
  return text;
}

std::vector<std::string> all_remarks(const render::TraceSummary& summary) {
  std::vector<std::string> all = summary.damage;
  const std::vector<std::string>& defined = summary.definitions.remarks;
  all.insert(all.end(), defined.begin(), defined.end());
  all.insert(all.end(), summary.remarks.begin(), summary.remarks.end());
  return all;
}

std::string remarks_text(const render::TraceSummary& summary) {
  const std::vector<std::string> remarks = all_remarks(summary);
  if (remarks.empty()) return {};
  std::string text = "\nodd, missing or damaged\n";
  for (std::size_t i = 0; i < std::min(remarks.size(), kMostRemarks); ++i)
    text += "  " + printable(remarks[i]) + "\n";
  if (remarks.size() > kMostRemarks)
    text += fmt::format("  {} more\n", remarks.size() - kMostRemarks);
  return text;
}

std::string json_of(const std::filesystem::path& path, const render::TraceSummary& summary) {
  const traces::TraceDefinitions& definitions = summary.definitions;
  nlohmann::ordered_json regions = nlohmann::ordered_json::array();
  for (const render::RegionSummary& row : summary.regions) {
    const traces::TraceRegion& region = definitions.regions[row.region];
    regions.push_back({{"name", region.name},
                       {"kind", name_of(region.kind)},
                       {"visits", row.visits},
                       {"own_s", seconds(summary, row.ticks)}});
  }
  const nlohmann::ordered_json answer = {
      {"trace", path.string()},
      {"ranks", definitions.ranks.size()},
      {"nodes", nodes_of(summary)},
      {"threads", definitions.locations.size()},
      {"ticks_per_second", definitions.ticks_per_second},
      {"duration_s", seconds(summary, summary.end - summary.begin)},
      {"events", summary.events},
      {"messages_sent", summary.sent},
      {"messages_received", summary.received},
      {"bytes_sent", summary.bytes},
      {"collectives", summary.collectives},
      {"communicators", definitions.communicators.size()},
      {"one_sided", summary.one_sided},
      {"windows", definitions.windows.size()},
      {"regions", std::move(regions)},
      {"damage", summary.damage},
      {"remarks", all_remarks(summary)}};
  return answer.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

bool names_a_trace(const std::filesystem::path& path) {
  std::error_code error;
  return path.extension() == ".otf2" || std::filesystem::is_directory(path, error);
}

std::string show_trace(const std::filesystem::path& path, TraceOutput output) {
  const std::unique_ptr<traces::Trace> trace = traces::open_otf2(path);
  render::TraceSummary summary;
  {
    render::Progress progress("reading " + path.string());
    summary = render::summary_of(
        *trace, [&progress](std::size_t done, std::size_t all) { progress.show(done, all); });
  }
  if (output == TraceOutput::kJson) return json_of(path, summary);
  if (output == TraceOutput::kText)
    return identity_text(path, summary) + regions_text(summary) + remarks_text(summary);
  if (!summary.damage.empty()) throw Error(summary.damage[0]);
  const std::size_t remarks = all_remarks(summary).size();
  return remarks == 0 ? fmt::format("{}: a valid trace\n", path.string())
                      : fmt::format("{}: a trace that can be read, with {}\n", path.string(),
                                    pluralize(remarks, "remark"));
}

}  // namespace huddle::cli
