#include "aggregator/forecast/table/tool_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "aggregator/forecast/table/csv_record.hpp"

namespace huddle {
namespace {

// The column whose name has these letters.
std::optional<std::size_t> column_of(const FileHeader& header, std::string_view letters) {
  const auto found = std::ranges::find_if(
      header.names, [&](const HeaderName& name) { return letters_of(name.raw) == letters; });
  if (found == header.names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.names.begin());
}

template <class Test>
bool any_cell(const FileHeader& header, std::size_t column, const Test& test) {
  std::string buffer;
  return std::ranges::any_of(header.sample, [&](const std::string& row) {
    const std::vector<std::string_view> fields = fields_of(row, header.separator);
    return column < fields.size() && test(content_of(fields[column], buffer));
  });
}

// Jobs, what Slurm adds to each (batch, extern), and their steps stand one below the other.
void recognise_sacct(const FileHeader& header, ToolDump& dump) {
  const std::optional<std::size_t> job = column_of(header, "jobid");
  if (!job) return;
  const bool steps = any_cell(header, *job, is_step_of_srun);
  if (!steps && !any_cell(header, *job, is_step_of_slurm) && !column_of(header, "elapsed") &&
      !column_of(header, "elapsedraw"))
    return;
  dump.filters[*job] = steps ? RowFilter::job_step : RowFilter::job;
  const std::optional<std::size_t> state = column_of(header, "state");
  if (state && any_cell(header, *state, is_state_of_job))
    dump.filters[*state] = RowFilter::job_state;
  dump.cpus_of_all_processes = true;
}

void recognise_apex_profiles(const FileHeader& header, ToolDump& dump) {
  const std::optional<std::size_t> type = column_of(header, "type");
  if (!type || !column_of(header, "numsamplescalls")) return;
  dump.filters[*type] = RowFilter::apex_type;
  const std::optional<std::size_t> threads = column_of(header, "numthreads");
  if (!threads) return;
  dump.means_nothing[*threads] = true;
  dump.remarks.push_back(fmt::format(
      "\"{}\" is how many threads a timer of APEX ran on, not the run's: --set threads=N tells "
      "those.",
      header.names[*threads].raw));
}

void recognise_apex_tasks(const FileHeader& header, ToolDump& dump) {
  if (!column_of(header, "task") || !column_of(header, "numcalls")) return;
  if (const auto time = column_of(header, "totalmicroseconds"))
    dump.remarks.push_back(fmt::format(
        "\"{}\" of APEX is of all threads together, but for APEX MAIN: it is the wall time of runs "
        "with one thread only.",
        header.names[*time].raw));
}

void recognise_cube(const FileHeader& header, ToolDump& dump) {
  if (!column_of(header, "cnodeid") || column_of(header, "threadid")) return;
  if (const auto time = column_of(header, "time"))
    dump.remarks.push_back(fmt::format(
        "\"{}\" of a dump of Cube without threads is of all processes and threads together: it is "
        "the wall time of runs with one thread only.",
        header.names[*time].raw));
}

bool has_several_values(const ColumnSample& sample) {
  std::set<double> values;
  for (const double value : sample.values)
    if (!std::isnan(value)) values.insert(value);
  return values.size() > 1;
}

void recognise_places(const FileHeader& header, const std::vector<ColumnSample>& samples,
                      ToolDump& dump) {
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    if (!numbers_places(header.names[i]) || !has_several_values(samples[i])) continue;
    dump.remarks.push_back(fmt::format(
        "\"{}\" numbers ranks or threads: each row is of one of them, not of a whole run, and they "
        "are not put together. Make one row of each run's: the longest time, the sum of energies "
        "and counts.",
        header.names[i].raw));
    return;
  }
}

}  // namespace

ToolDump recognise_dump(const FileHeader& header, const std::vector<ColumnSample>& samples) {
  ToolDump dump;
  dump.filters.resize(header.names.size(), RowFilter::none);
  dump.means_nothing.resize(header.names.size(), false);
  if (header.own) return dump;
  recognise_sacct(header, dump);
  recognise_apex_profiles(header, dump);
  recognise_apex_tasks(header, dump);
  recognise_cube(header, dump);
  recognise_places(header, samples, dump);
  return dump;
}

}  // namespace huddle
