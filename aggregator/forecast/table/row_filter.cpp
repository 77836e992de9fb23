#include "aggregator/forecast/table/row_filter.hpp"

#include <algorithm>
#include <array>

#include "aggregator/forecast/table/column_names.hpp"

namespace huddle {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What stands behind the point; empty if it is no number of a job's step.
std::string_view step_of(std::string_view job) {
  const std::size_t point = job.find('.');
  if (job.empty() || !is_digit(job.front()) || point == std::string_view::npos) return {};
  return job.substr(point + 1);
}

}  // namespace

bool is_step_of_srun(std::string_view job) {
  const std::string_view step = step_of(job);
  return !step.empty() && std::ranges::all_of(step.substr(0, step.find('+')), is_digit);
}

bool is_step_of_slurm(std::string_view job) {
  const std::string_view step = step_of(job);
  return step == "batch" || step == "extern" || step == "interactive";
}

bool is_state_of_job(std::string_view cell) {
  constexpr auto kStates = std::to_array<std::string_view>(
      {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "RUNNING", "PENDING", "NODE_FAIL",
       "OUT_OF_MEMORY", "PREEMPTED", "DEADLINE", "REQUEUED", "SUSPENDED", "BOOT_FAIL"});
  return std::ranges::find(kStates, cell.substr(0, cell.find(' '))) != kStates.end();
}

std::string_view why_left_out(RowFilter filter, std::string_view cell) {
  switch (filter) {
    case RowFilter::job:
    case RowFilter::job_step:
      if (is_step_of_slurm(cell)) return "a batch script or what Slurm adds, and no step of srun";
      if (filter == RowFilter::job_step && !is_step_of_srun(cell))
        return "a whole job, whose steps are rows of their own";
      return {};
    case RowFilter::job_state:
      return equal_letters(cell, "COMPLETED") ? "" : "a job or step that did not complete";
    case RowFilter::apex_type:
      return equal_letters(cell, "counter") ? "a counter of APEX, and no timer" : "";
    default:
      return {};
  }
}

}  // namespace huddle
