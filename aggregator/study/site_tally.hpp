#pragma once

// Jobs of a site, counted together where they are alike: what is kept of a dump of any length.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/study/dumped_job.hpp"
#include "aggregator/study/job_shape.hpp"
#include "aggregator/study/node_size.hpp"
#include "aggregator/study/verdict.hpp"

namespace huddle::study {

inline constexpr double kSecondsInHour = 3600;

/// Jobs and what they took.
struct JobAmount {
  std::uint64_t jobs = 0;
  /// Whole numbers, whose sums do not depend on their order.
  double node_seconds = 0;
  /// The charge in units of the site's billing weights, times seconds.
  double charge_seconds = 0;

  [[nodiscard]] double node_hours() const { return node_seconds / kSecondsInHour; }
  [[nodiscard]] double charge() const { return charge_seconds / kSecondsInHour; }

  JobAmount& operator+=(const JobAmount& other);
};

/// A class of sizes: jobs of 2^class nodes down to more than half of that.
std::uint32_t size_class(std::uint32_t nodes);

/// Names that jobs are grouped by, as entries of SiteTally's lists.
struct JobGroups {
  std::uint32_t partition = 0;
  std::uint32_t account = 0;
  std::uint32_t size = 0;

  friend bool operator==(const JobGroups&, const JobGroups&) = default;
};

/// Jobs whose verdict their own rows allow.
struct JudgedJobs {
  JobGroups groups;
  Verdict verdict = Verdict::kOneNode;
  JobAmount amount;
};

/// Jobs of one application and one shape, whose verdict depends on their nodes.
struct ShapedJobs {
  JobGroups groups;
  std::uint32_t application = 0;
  JobShape shape;
  /// True if they are the first two of a program, a user and a number of tasks, which are measured.
  bool measured_first = false;
  JobAmount amount;
};

/// A partition of a cluster.
struct Partition {
  std::string cluster;
  std::string name;
  NodesSeen seen;
};

/// Counts jobs. Its memory grows with the number of unlike shapes of jobs that had several nodes,
/// not with the number of jobs.
class SiteTally {
 public:
  /// Runs of a program that are measured before it is packed, where the site has no model.
  static constexpr unsigned kMeasuredRuns = 2;

  SiteTally();
  ~SiteTally();
  SiteTally(const SiteTally&) = delete;
  SiteTally& operator=(const SiteTally&) = delete;

  void add(const DumpedJob& job);

  [[nodiscard]] std::uint64_t jobs_that_never_ran() const { return never_ran_; }
  [[nodiscard]] const std::vector<Partition>& partitions() const { return partitions_; }
  [[nodiscard]] const std::vector<std::string>& accounts() const;
  [[nodiscard]] const std::vector<std::string>& applications() const;
  [[nodiscard]] std::vector<JudgedJobs> judged() const;
  /// Gives `take` each entry, in no order that means anything.
  void visit_shaped(const std::function<void(const ShapedJobs&)>& take) const;

 private:
  struct Tables;
  std::uint32_t partition_of(const DumpedJob& job);

  std::uint64_t never_ran_ = 0;
  std::vector<Partition> partitions_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace huddle::study
