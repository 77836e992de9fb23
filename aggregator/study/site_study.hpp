#pragma once

// The study of what packing would free on a site: the jobs of a tally, sorted, with intervals that
// carry what is not known of their slowdown.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/study/node_size.hpp"
#include "aggregator/study/site_tally.hpp"
#include "aggregator/study/verdict.hpp"

namespace huddle::study {

/// A figure that depends on what is not known.
struct Uncertain {
  double mean = 0;
  /// Between them with 90 % probability.
  double low = 0;
  double high = 0;
};

/// The jobs of a partition, an account, an application or a size.
struct GroupStudy {
  std::string name;
  JobAmount all;
  /// Those that could use fewer nodes by their cores and memory.
  JobAmount could;
  Uncertain freed_node_hours;
  Uncertain freed_charge;
};

/// An application that measuring would let be packed.
struct MeasureFirst {
  std::string application;
  Uncertain freed_node_hours;
  /// Runs that were measured first, in the time of the dump.
  std::uint64_t measured_runs = 0;
};

struct PartitionNode {
  std::string partition;
  NodeSize node;
};

/// Jobs of one application, account and shape, but for its memory, that could use fewer nodes.
struct ShapeStudy {
  /// Entry of SiteTally::applications().
  std::uint32_t application = 0;
  JobShape shape;
  JobAmount amount;
  /// Share of the draws in which they use fewer nodes within the bound.
  double probability = 0;
};

struct SiteStudy {
  double slowdown = 0;
  JobAmount all;
  std::array<JobAmount, kVerdicts> by_verdict;
  std::uint64_t never_ran = 0;
  /// Those that could use fewer nodes and, with a probability of 95 % or more, would within the
  /// bound.
  JobAmount packable;
  Uncertain freed_node_hours;
  Uncertain freed_charge;
  /// Most node-hours freed first, except sizes, which ascend.
  std::vector<GroupStudy> partitions;
  std::vector<GroupStudy> accounts;
  std::vector<GroupStudy> applications;
  std::vector<GroupStudy> sizes;
  /// Ten at most; those that free most for each measured run first.
  std::vector<MeasureFirst> measure_first;
  /// Energy that nodes of known power would not draw if they slept while they are free, in kWh:
  /// those of a machine document with power figures. Absent without such.
  std::optional<Uncertain> asleep_kwh;
  /// Energy that the jobs themselves would need less, in kWh: what the nodes that they free draw
  /// idle. Absent as well without power figures.
  std::optional<Uncertain> job_kwh;
  /// The same of the machine, but for what other jobs draw: less what the free nodes draw, by what
  /// becomes of them. Absent where other jobs get them all.
  std::optional<Uncertain> machine_kwh;
  /// Partitions whose jobs' verdicts depend on their nodes.
  std::vector<PartitionNode> nodes;
  std::vector<ShapeStudy> shapes;
};

struct StudyOptions {
  /// The bound: 0.05 is 5 %.
  double slowdown = 0.05;
  /// One for each entry of SiteTally::partitions().
  std::vector<NodeSize> nodes;
  unsigned threads = 1;
};

/// Names of partitions, as people know them: with the cluster if there are several.
std::vector<std::string> partition_names(const SiteTally& tally);

/// Draws what is unknown many times, always the same way, and packs each job onto the fewest nodes
/// whose slowdown keeps the bound in that draw.
SiteStudy study_site(const SiteTally& tally, const StudyOptions& options);

}  // namespace huddle::study
