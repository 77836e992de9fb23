#pragma once

// The summary of a period for people who decide: what became of the jobs, what was freed of how
// much, which promises were kept, what measuring cost, and why jobs were left as submitted.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/operations/accounting/control_group.hpp"
#include "aggregator/operations/accounting/job_report.hpp"
#include "aggregator/operations/accounting/program_efficiency.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::operations {

/// Figures of some wanted runs.
struct RunFigures {
  std::uint32_t runs = 0;
  std::uint32_t measured = 0;
  /// Packed and grouped.
  std::uint32_t packed = 0;
  std::uint32_t left = 0;
  std::uint32_t compared = 0;
  std::uint32_t kept = 0;
  std::uint32_t broken = 0;
  /// Those of the runs whose end is known, or, of packed ones that are compared, what the runs
  /// took that they are compared with.
  double submitted_node_hours = 0;
  double freed_node_hours = 0;
  /// Compared runs whose energy and that of the other run are measured.
  std::uint32_t compared_energy = 0;
  Joules energy_before;
  Joules energy_after;
  /// Absent where the machine's saving is no other than the jobs', see Saving::machine_energy.
  std::optional<Joules> machine_saved;

  /// `before`: the run that it is compared with; null: none.
  void add(const ReportedRun& run, const ReportedRun* before);
  /// The freed part of what was submitted; 0.05 is 5 %. 0 if nothing was.
  [[nodiscard]] double freed_share() const;
};

struct NamedFigures {
  std::string name;
  RunFigures figures;
};

/// Runs that were left as submitted for one kind of reason.
struct LeftReason {
  std::string reason;
  std::uint32_t runs = 0;
  double node_hours = 0;
};

/// The cost of measuring, of runs whose end is known.
struct MeasuringCost {
  std::uint32_t runs = 0;
  double node_hours = 0;
  /// Runs that a plan laid out to be measured, and that are compared with one as submitted; and
  /// what they took more, negative: less.
  std::uint32_t second_runs = 0;
  double second_node_hours = 0;
  Seconds second_time;
};

struct PeriodSummary {
  /// The begin of the first and of the last run; absent without any.
  std::optional<UtcTime> first;
  std::optional<UtcTime> last;
  std::size_t users = 0;
  RunFigures all;
  /// "2026-11", ascending, those with runs.
  std::vector<NamedFigures> months;
  /// Most node-hours as submitted first. Empty name: not known.
  std::vector<NamedFigures> partitions;
  MeasuringCost measuring;
  /// Absent if no run was in a draw.
  std::optional<ControlledSaving> control;
  /// Those that lose most node-hours first.
  std::vector<ProgramEfficiency> programs;
  /// The commonest five, and what the others are together.
  std::vector<LeftReason> left;
  LeftReason left_otherwise;
  /// The run that broke its bound by most: its place in JobReport::runs; absent: none did.
  std::optional<std::size_t> worst;
};

/// `report`: as report_on() made it.
PeriodSummary summarize(const JobReport& report);

/// The kind of a reason: what is before its figures and its details, "no fewer nodes" of "no fewer
/// nodes: 3 would take +3.1 % time". Numbers become N.
std::string kind_of_reason(std::string_view reason);

}  // namespace huddle::operations
