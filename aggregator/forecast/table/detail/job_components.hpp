#pragma once

// Components of Slurm's heterogeneous jobs, which sacct lists in a row each.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// The run that a row of this JobID is a component of: "123.0" of "123+1.0"; empty if it is none.
std::string run_of_component(std::string_view job_id);

/// Makes one row of the components of a run.
class JobComponents {
 public:
  /// Adds the values of a row to the run's row in the table, if that has one; else notes that
  /// `row`, which is about to be added, is the run's, and returns false. What the processes of a
  /// component use is added up, and so is energy; times, sizes and what each process or node has
  /// are the largest. `totals`: the column of threads is of whole components.
  bool merge(MeasurementTable& table, const std::string& run, std::string_view region,
             const std::vector<double>& values, bool totals);

  /// A sentence, for people; empty if nothing was merged.
  [[nodiscard]] std::string remark() const;

 private:
  std::unordered_map<std::string, std::size_t> rows_;  // by run and region
  std::size_t merged_ = 0;
};

}  // namespace huddle::forecast
