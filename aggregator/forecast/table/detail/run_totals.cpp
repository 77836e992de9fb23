#include "aggregator/forecast/table/detail/run_totals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "profiles/import/column_words.hpp"

namespace huddle::forecast {

bool may_be_total(std::string_view name) {
  return imports::has_word("cores ncores numcores totalcores ncpus alloccpus",
                           imports::letters_of(name));
}

void divide_totals(MeasurementTable& table, MeasurementReading& reading) {
  const auto threads = std::ranges::find(table.columns, ColumnRole::threads, &MeasuredColumn::role);
  const MeasuredColumn* processes = table.find(ColumnRole::processes);
  if (threads == table.columns.end() || processes == nullptr) return;
  std::vector<double> each(table.rows());
  bool has_several = false;
  for (std::size_t row = 0; row < each.size(); ++row) {
    const double ranks = processes->values[row];
    each[row] = threads->values[row] / ranks;
    if (!(ranks > 0) || !(each[row] >= 1) || each[row] != std::floor(each[row])) return;
    has_several = has_several || ranks > 1;
  }
  if (!has_several) return;
  threads->values = each;
  const bool is_clear = std::ranges::adjacent_find(each, std::ranges::not_equal_to{}) == each.end();
  (is_clear ? reading.remarks : reading.warnings)
      .push_back(
          fmt::format("\"{0}\" is taken for the cores of the whole run, since it is a multiple of "
                      "\"{1}\" in all rows: threads = {0} / {1}; --column threads=\"{0}\" takes it "
                      "for the cores of each process.",
                      threads->name, processes->name));
}

}  // namespace huddle::forecast
