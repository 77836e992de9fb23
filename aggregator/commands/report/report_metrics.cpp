#include "aggregator/commands/report/report_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/formats/document/metric_family.hpp"

namespace huddle::cli {
namespace {

constexpr std::size_t kMostClusters = 16;
constexpr const char* kOtherClusters = "other";
constexpr double kSecondsInHour = 3600;

/// The runs of a cluster.
struct ClusterSums {
  operations::JobSums sums;
  UtcTime oldest = UtcTime::max();

  void add(const operations::ReportedRun& run) {
    sums.add(run);
    oldest = std::min(oldest, run.outcome.run->start);
  }
};

using Clusters = std::map<std::string, ClusterSums>;

Clusters clusters_of(const operations::JobReport& report) {
  std::map<std::string, std::size_t> runs;
  for (const operations::ReportedRun& run : report.runs)
    if (run.wanted) ++runs[run.outcome.run->cluster];
  std::vector<std::pair<std::size_t, std::string>> by_runs;
  for (const auto& [name, count] : runs) by_runs.emplace_back(count, name);
  std::sort(by_runs.begin(), by_runs.end(), std::greater<>());
  by_runs.resize(std::min(by_runs.size(), kMostClusters));
  Clusters clusters;
  for (const auto& [count, name] : by_runs) clusters[name];
  for (const operations::ReportedRun& run : report.runs) {
    if (!run.wanted) continue;
    const std::string& name = run.outcome.run->cluster;
    clusters[clusters.contains(name) ? name : kOtherClusters].add(run);
  }
  return clusters;
}

// A value of each cluster that has one.
std::string by_cluster(const Clusters& clusters, std::string_view name, std::string_view help,
                       const std::function<std::optional<double>(const ClusterSums&)>& value_of) {
  MetricFamily family(name, help);
  for (const auto& [cluster, of] : clusters)
    if (const auto value = value_of(of)) family.add(*value, {{"cluster", cluster}});
  return family.text();
}

// The saving, unless nothing could be compared.
std::optional<double> if_any(std::uint32_t compared, double saved) {
  return compared > 0 ? std::optional(saved) : std::nullopt;
}

std::string runs_text(const Clusters& clusters) {
  MetricFamily family("huddle_runs", "Recorded runs, by what was done with them.");
  for (const auto& [cluster, of] : clusters)
    for (const auto& [treatment, count] : {std::pair(Treatment::kMeasured, of.sums.measured),
                                           std::pair(Treatment::kPacked, of.sums.packed),
                                           std::pair(Treatment::kGrouped, of.sums.grouped),
                                           std::pair(Treatment::kLeft, of.sums.left)})
      family.add(count, {{"cluster", cluster}, {"treatment", std::string(name_of(treatment))}});
  return family.text();
}

std::string promises_text(const Clusters& clusters) {
  MetricFamily family("huddle_promises",
                      "Compared runs, by whether they kept the slowdown bound of their plan.");
  for (const auto& [cluster, of] : clusters) {
    const operations::JobSums& sums = of.sums;
    for (const auto& [state, count] :
         {std::pair("kept", sums.kept), std::pair("broken", sums.broken),
          std::pair("unknown", sums.compared - sums.kept - sums.broken)})
      family.add(count, {{"cluster", cluster}, {"state", state}});
  }
  return family.text();
}

std::string savings_text(const Clusters& clusters) {
  return by_cluster(clusters, "huddle_compared_runs",
                    "Packed and grouped runs that could be compared with a run as submitted.",
                    [](const ClusterSums& of) { return of.sums.compared; }) +
         promises_text(clusters) +
         by_cluster(clusters, "huddle_saved_node_seconds",
                    "Nodes times elapsed time that compared runs took less, as measured.",
                    [](const ClusterSums& of) {
                      return if_any(of.sums.compared, of.sums.saved.node_hours * kSecondsInHour);
                    }) +
         by_cluster(clusters, "huddle_saved_time_seconds",
                    "Elapsed time that compared runs took less, as measured; negative if more.",
                    [](const ClusterSums& of) {
                      return if_any(of.sums.compared, of.sums.saved.time.value);
                    }) +
         by_cluster(clusters, "huddle_energy_compared_runs",
                    "Compared runs whose energy and that of the other run are accounted for.",
                    [](const ClusterSums& of) { return of.sums.compared_energy; }) +
         by_cluster(clusters, "huddle_saved_energy_joules",
                    "Energy that these runs took less, as accounted; negative if more.",
                    [](const ClusterSums& of) {
                      return if_any(of.sums.compared_energy, of.sums.saved.energy->value);
                    });
}

std::string single(std::string_view name, std::string_view help, std::size_t value) {
  MetricFamily family(name, help);
  family.add(static_cast<double>(value));
  return family.text();
}

}  // namespace

std::string report_metrics(const operations::JobReport& report, const UnreadRecords& unread) {
  const Clusters clusters = clusters_of(report);
  return runs_text(clusters) +
         by_cluster(clusters, "huddle_failed_runs",
                    "Recorded runs that ended with another status than 0.",
                    [](const ClusterSums& of) { return of.sums.failed; }) +
         by_cluster(clusters, "huddle_runs_without_end",
                    "Recorded runs without a record of their end: they may still go on.",
                    [](const ClusterSums& of) { return of.sums.unknown_end; }) +
         savings_text(clusters) +
         by_cluster(clusters, "huddle_implausible_energies",
                    "Accounted energies that were not believed and not added up.",
                    [](const ClusterSums& of) { return of.sums.doubted; }) +
         by_cluster(clusters, "huddle_oldest_run_timestamp_seconds",
                    "When the oldest counted run began, in seconds since 1970.",
                    [](const ClusterSums& of) {
                      return std::chrono::duration<double>(of.oldest.time_since_epoch()).count();
                    }) +
         single("huddle_users", "Users with counted runs.", report.by_user.size()) +
         single("huddle_unread_users", "Users whose records could not be read.", unread.users) +
         single("huddle_unread_records", "Records that could not be read.", unread.records) +
         "# EOF\n";
}

}  // namespace huddle::cli
