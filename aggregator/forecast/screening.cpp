#include "aggregator/forecast/screening.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "aggregator/forecast/nested_regions.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::forecast {
namespace {

// Takes rows out of a table and keeps count.
class Screen {
 public:
  explicit Screen(MeasurementTable& rows) : rows_(rows), numbers_(rows.rows()), all_(rows.rows()) {
    std::iota(numbers_.begin(), numbers_.end(), std::size_t{1});
  }

  // `indices` ascending.
  void leave_out(const std::vector<std::size_t>& indices, std::string reason) {
    if (indices.empty()) return;
    result_.left_out.push_back({std::move(reason), indices.size(), place_of(indices[0])});
    std::vector<std::size_t> stay;
    stay.reserve(rows_.rows() - indices.size());
    std::size_t next = 0;
    for (std::size_t row = 0; row < rows_.rows(); ++row)
      if (next < indices.size() && indices[next] == row)
        ++next;
      else
        stay.push_back(row);
    for (std::size_t i = 0; i < stay.size(); ++i) numbers_[i] = numbers_[stay[i]];
    numbers_.resize(stay.size());
    rows_.keep(stay);
    if (stay.empty()) fail_without_rows();
  }

  void remark(std::string sentence) { result_.remarks.push_back(std::move(sentence)); }

  Screening take() {
    result_.kept = rows_.rows();
    return std::move(result_);
  }

 private:
  // Lines of files are not known any more.
  std::string place_of(std::size_t row) const {
    std::string place = fmt::format("row {}", numbers_[row]);
    const std::string& region = rows_.regions[rows_.region[row]];
    if (!region.empty()) place += fmt::format(" (\"{}\")", shortened(region));
    if (const MeasuredColumn* size = rows_.find(ColumnRole::size))
      place += fmt::format(", size {}", size->values[row]);
    return place;
  }

  [[noreturn]] void fail_without_rows() const {
    std::vector<std::string> reasons;
    for (const LeftOutRows& left_out : result_.left_out)
      reasons.push_back(fmt::format("{} since {}", left_out.rows, left_out.reason));
    throw Error(fmt::format("no row is left of {}: {}", all_, fmt::join(reasons, ", ")));
  }

  MeasurementTable& rows_;
  std::vector<std::size_t> numbers_;  // of the rows as they came, from 1
  std::size_t all_;
  Screening result_;
};

template <class Condition>
std::vector<std::size_t> rows_where(const MeasuredColumn& column, Condition&& condition) {
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < column.values.size(); ++row)
    if (condition(column.values[row])) found.push_back(row);
  return found;
}

// True for each region that is among those asked for, by their exact names.
std::vector<bool> asked_regions(const std::vector<std::string>& regions,
                                const std::vector<std::string>& asked) {
  constexpr std::size_t kMostShown = 8;
  std::vector<bool> wanted(regions.size());
  for (const std::string& name : asked) {
    const auto found = std::ranges::find(regions, name);
    if (found != regions.end()) {
      wanted[static_cast<std::size_t>(found - regions.begin())] = true;
      continue;
    }
    if (regions.size() == 1 && regions[0].empty())
      throw UsageError(fmt::format(
          "region {}: the rows have no regions: leave it out, or say which column holds them",
          shortened(name)));
    std::string names;
    for (std::size_t i = 0; i < std::min(regions.size(), kMostShown); ++i)
      names += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", shortened(regions[i]));
    if (regions.size() > kMostShown) names += ", ...";
    throw UsageError(
        fmt::format("region {}: no row is of this region; there are: {}", shortened(name), names));
  }
  return wanted;
}

void screen_other_regions(MeasurementTable& rows, const std::vector<std::string>& asked,
                          Screen& screen) {
  if (asked.empty()) return;
  const std::vector<bool> wanted = asked_regions(rows.regions, asked);
  std::vector<std::size_t> others;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    if (!wanted[rows.region[row]]) others.push_back(row);
  screen.leave_out(others, "their region is not asked for");
}

// Share of all time, or of all rows if no time was measured: 1 means all.
double share_without_energy(const MeasurementTable& rows, const MeasuredColumn& energy) {
  const MeasuredColumn* time = rows.find(ColumnRole::time);
  double without = 0;
  double all = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double weight = time == nullptr ? 1 : std::max(0.0, time->values[row]);
    all += weight;
    if (energy.values[row] == 0) without += weight;
  }
  return all > 0 ? without / all : 1;
}

// Slurm and TAU write 0 where there is no meter. A slow meter counts 0 in short rows, too, of
// which there may be many.
void drop_energy_without_meter(MeasurementTable& rows, Screen& screen) {
  const MeasuredColumn* energy = rows.find(ColumnRole::energy);
  if (energy == nullptr || share_without_energy(rows, *energy) <= 0.5) return;
  screen.remark(fmt::format(
      "\"{}\" is 0 {}: there was no meter, and so no energy is looked at.", energy->name,
      rows.find(ColumnRole::time) == nullptr ? "in most rows" : "most of the time"));
  rows.columns.erase(rows.columns.begin() + (energy - rows.columns.data()));
}

std::string said_of(ColumnRole role) {
  const bool several = role != ColumnRole::time && role != ColumnRole::energy &&
                       role != ColumnRole::size && role != ColumnRole::frequency;
  return fmt::format("{} {}", name_of(role), several ? "are" : "is");
}

void screen_what_is_not_positive(MeasurementTable& rows, bool sums, Screen& screen) {
  const bool zero_energy_stays = sums && rows.regions.size() > 1;
  for (const ColumnRole role :
       {ColumnRole::time, ColumnRole::energy, ColumnRole::size, ColumnRole::processes,
        ColumnRole::threads, ColumnRole::frequency, ColumnRole::nodes, ColumnRole::ranks_per_node,
        ColumnRole::packages}) {
    const MeasuredColumn* column = rows.find(role);
    if (column == nullptr) continue;
    const bool zero_stays = role == ColumnRole::energy && zero_energy_stays;
    screen.leave_out(
        rows_where(*column, [&](double value) { return zero_stays ? value < 0 : value <= 0; }),
        fmt::format("their {} {} 0", said_of(role), zero_stays ? "below" : "not above"));
  }
}

void screen_small_regions(MeasurementTable& rows, double least_share, Screen& screen) {
  const MeasuredColumn* energy = rows.find(ColumnRole::energy);
  const MeasuredColumn* weight = energy != nullptr ? energy : rows.find(ColumnRole::time);
  if (weight == nullptr || rows.regions.size() < 2 || least_share <= 0) return;
  std::vector<double> sums(rows.regions.size());
  for (std::size_t row = 0; row < rows.rows(); ++row) sums[rows.region[row]] += weight->values[row];
  const std::vector<bool> inside = nested_regions(rows).inside;
  double all = 0;
  for (std::size_t region = 0; region < sums.size(); ++region)
    if (!inside[region]) all += sums[region];
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
  std::vector<std::size_t> small;
  std::vector<bool> is_small(sums.size());
  std::size_t regions = 0;
  for (std::size_t region = 0; region < sums.size(); ++region) {
    is_small[region] = region != largest && sums[region] < least_share * all && sums[region] > 0;
    if (is_small[region]) ++regions;
  }
  for (std::size_t row = 0; row < rows.rows(); ++row)
    if (is_small[rows.region[row]]) small.push_back(row);
  screen.leave_out(small,
                   fmt::format("their region ({} of {}) has less than {:.3g} % of the {}", regions,
                               sums.size(), 100 * least_share, name_of(weight->role)));
}

bool is_constant(const MeasuredColumn& column) {
  return std::ranges::adjacent_find(column.values, std::ranges::not_equal_to{}) ==
         column.values.end();
}

void remark_constants(const MeasurementTable& rows, Screen& screen) {
  std::vector<std::string> names;
  for (const MeasuredColumn& column : rows.columns)
    if (is_constant(column)) names.push_back(fmt::format("\"{}\"", column.name));
  if (names.empty() || rows.rows() < 2) return;
  screen.remark(fmt::format("The same in all rows, and so no help: {}.", fmt::join(names, ", ")));
}

// Regions without rows are of no interest any more.
void forget_unused_regions(MeasurementTable& rows) {
  constexpr std::uint32_t kUnused = ~0U;
  std::vector<std::uint32_t> number(rows.regions.size(), kUnused);
  for (const std::uint32_t region : rows.region) number[region] = 0;
  std::vector<std::string> used;
  for (std::size_t region = 0; region < number.size(); ++region) {
    if (number[region] == kUnused) continue;
    number[region] = static_cast<std::uint32_t>(used.size());
    used.push_back(std::move(rows.regions[region]));
  }
  rows.regions = std::move(used);
  for (std::uint32_t& region : rows.region) region = number[region];
}

}  // namespace

Screening screen(MeasurementTable& rows, const ScreeningSettings& settings) {
  if (rows.rows() == 0) throw Error("there are no rows");
  Screen screen(rows);
  screen_other_regions(rows, settings.regions, screen);
  drop_energy_without_meter(rows, screen);
  screen_what_is_not_positive(rows, settings.sums, screen);
  if (settings.regions.empty()) screen_small_regions(rows, settings.least_share, screen);
  remark_constants(rows, screen);
  forget_unused_regions(rows);
  return screen.take();
}

}  // namespace huddle::forecast
