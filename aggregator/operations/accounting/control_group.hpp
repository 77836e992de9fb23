#pragma once

// The saving that a control group shows: of the jobs that would be packed a random share runs as
// submitted, and the two groups are compared.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/operations/accounting/job_report.hpp"

namespace huddle::operations {

/// A job that was in the draw, and none of whose steps failed.
struct DrawnJob {
  /// The probability of being drawn for the control group, and whether it was.
  double share = 0;
  bool is_control = false;
  double node_hours = 0;
  /// Node-hours that were to be expected of it before it began, as submitted and packed, by runs
  /// before it and by its plan. They make the interval narrow and need not be true; 0: not known.
  double expected_as_submitted = 0;
  double expected_packed = 0;
};

/// The saving of packing, by comparison with a control group.
struct ControlledSaving {
  std::uint32_t control = 0;
  std::uint32_t packed = 0;
  /// Runs of the draw that failed, of each group, which are in no other figure.
  std::uint32_t control_failed = 0;
  std::uint32_t packed_failed = 0;
  /// Node-hours that packing all of these jobs saves, against packing none; absent with fewer than
  /// kLeastOfGroup jobs in one of the groups.
  std::optional<double> saved_node_hours;
  /// An interval of at least 90 % however often it is looked at.
  double low_node_hours = 0;
  double high_node_hours = 0;
  /// Node-hours of all of these jobs as submitted.
  double submitted_node_hours = 0;
};

/// The fewest jobs of each group of which an interval is given.
inline constexpr std::uint32_t kLeastOfGroup = 20;

/// Compares the groups. Each job contributes what it shows beyond what was expected of it, weighed
/// by the inverse of the probability of its group (augmented inverse probability weighting: Robins,
/// Rotnitzky and Zhao, 1994), which is unbiased whatever was expected, and though programs and load
/// drift, as the draw does not depend on them. The interval is an asymptotic confidence sequence:
/// Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and
/// asymptotic confidence sequences", Annals of Statistics 52 (2024), equation (4), narrowest at
/// 1000 jobs. `jobs`: oldest first.
ControlledSaving controlled_saving(std::span<const DrawnJob> jobs);

/// The same of the wanted runs of a report.
ControlledSaving controlled_saving(const JobReport& report);

}  // namespace huddle::operations
