#include "aggregator/forecast/table/detail/job_components.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::forecast {
namespace {

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of("0123456789", at), text.size());
}

bool is_added_up(ColumnRole role, bool totals) {
  return role == ColumnRole::processes || role == ColumnRole::nodes || role == ColumnRole::energy ||
         role == ColumnRole::variable || (role == ColumnRole::threads && totals);
}

}  // namespace

std::string run_of_component(std::string_view job_id) {
  const std::size_t plus = end_of_digits(job_id, 0);
  if (plus == 0 || plus == job_id.size() || job_id[plus] != '+') return {};
  const std::size_t end = end_of_digits(job_id, plus + 1);
  if (end == plus + 1 || (end < job_id.size() && job_id[end] != '.')) return {};
  return std::string(job_id.substr(0, plus)) + std::string(job_id.substr(end));
}

bool JobComponents::merge(MeasurementTable& table, const std::string& run, std::string_view region,
                          const std::vector<double>& values, bool totals) {
  const auto [known, is_new] = rows_.emplace(fmt::format("{} {}", run, region), table.rows());
  if (is_new) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    MeasuredColumn& column = table.columns[i];
    double& value = column.values[known->second];
    value = is_added_up(column.role, totals) ? value + values[i] : std::max(value, values[i]);
  }
  ++merged_;
  return true;
}

std::string JobComponents::remark() const {
  if (merged_ == 0) return {};
  return fmt::format(
      "{} of components of heterogeneous jobs are {}: processes, nodes, energy and counts are "
      "added up, of times the longest is taken.",
      pluralize(merged_ + rows_.size(), "row"), pluralize(rows_.size(), "run"));
}

}  // namespace huddle::forecast
