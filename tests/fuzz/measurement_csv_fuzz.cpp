#include <algorithm>
#include <cmath>

#include "aggregator/forecast/table/measurement_csv.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace huddle {
namespace {

bool is_whole(const forecast::MeasurementTable& table) {
  for (const forecast::MeasuredColumn& column : table.columns)
    if (column.values.size() != table.rows() ||
        !std::ranges::all_of(column.values, [](double value) { return std::isfinite(value); }))
      return false;
  return std::ranges::all_of(table.region,
                             [&](std::uint32_t region) { return region < table.regions.size(); });
}

// See the preconditions of write_measurements().
bool can_be_written(const forecast::MeasurementTable& table) {
  std::vector<std::string> names;
  for (const forecast::MeasuredColumn& column : table.columns)
    if (column.role == forecast::ColumnRole::variable) names.push_back(column.name);
  for (const std::string& name : names)
    if (forecast::is_own_name(name)) return false;
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

void check_writing(forecast::MeasurementTable table) {
  for (forecast::MeasuredColumn& column : table.columns)
    if (column.role != forecast::ColumnRole::variable) column.name = name_of(column.role);
  forecast::MeasurementReading reading;
  demand(forecast::parse_measurements(forecast::format_measurements(table), "written", {},
                                      reading) == table);
}

}  // namespace
}  // namespace huddle

/// Any text is a table of finite numbers, which is read the same after it was written, or a
/// huddle::Error. The first byte chooses options.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  if (size == 0) return 0;
  forecast::MeasurementCsvOptions options;
  if ((data[0] & 1U) != 0) options.most_values = 12;
  if ((data[0] & 2U) != 0) options.columns["energy"] = {"a", "b:Wh"};
  if ((data[0] & 4U) != 0) options.values = {{"processes", "4"}, {"frequency", "2.4GHz"}};
  if ((data[0] & 8U) != 0) options.variables = {"a"};
  forecast::MeasurementReading reading;
  const auto table = parsed([&] {
    return forecast::parse_measurements(as_text(data + 1, size - 1), "rows", options, reading);
  });
  if (!table) return 0;
  demand(table->rows() > 0 && table->rows() == reading.kept && reading.kept <= reading.rows);
  demand(is_whole(*table));
  if (can_be_written(*table)) check_writing(*table);
  return 0;
}
