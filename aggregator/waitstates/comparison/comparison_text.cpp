// What huddle waitstates says of two sides of runs, for people.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/comparison/run_comparison.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostPaths = 20;

std::string side_line(std::string_view name, const RunComparison::Side& side) {
  constexpr std::size_t kMostNamed = 3;
  const std::set<std::uint32_t> ranks(side.ranks.begin(), side.ranks.end());
  std::string text = fmt::format("{}: {} of ", name, counted(side.traces.size(), "run"));
  if (ranks.size() == 1)
    text += counted(*ranks.begin(), "rank");
  else
    text += fmt::format("{} to {} ranks", *ranks.begin(), *ranks.rbegin());
  for (std::size_t i = 0; i < std::min(side.traces.size(), kMostNamed); ++i)
    text += (i == 0 ? ": " : ", ") + shortened(side.traces[i], 100);
  return text + (side.traces.size() > kMostNamed ? ", ...\n" : "\n");
}

std::string signed_number(double value) {
  return value == 0 ? "0" : fmt::format("{:+.4g}", value);
}

std::string percent_of_change(const RunChange& change) {
  if (change.difference() == 0) return "0";
  if (change.before <= 0) return change.after > 0 ? "new" : "";
  return fmt::format("{:+.1f}", 100 * change.difference() / change.before);
}

class TotalsTable {
 public:
  explicit TotalsTable(bool noise) : noise_(noise), table_(columns(noise)) {}

  void add(const std::string& title, const RunChange& change) {
    std::vector<std::string> cells = {
        title, fmt::format("{:.4g}", change.before), fmt::format("{:.4g}", change.after),
        signed_number(change.difference()), percent_of_change(change)};
    if (noise_) {
      cells.push_back(change.noise ? fmt::format("{:.2g}", *change.noise) : "");
      cells.emplace_back(change.beyond_noise().value_or(false) ? "yes" : "no");
    }
    table_.add(std::move(cells));
  }
  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  static std::vector<Table::Column> columns(bool noise) {
    std::vector<Table::Column> all = {
        {"", Table::Align::kLeft}, {"before"}, {"after"}, {"change"}, {"%"}};
    if (noise) all.insert(all.end(), {{"noise +-"}, {"beyond noise"}});
    return all;
  }

  bool noise_;
  Table table_;
};

std::string totals_text(const RunComparison& comparison) {
  TotalsTable table(comparison.knows_noise());
  table.add("run time s", comparison.run_time);
  table.add("time of all ranks s", comparison.time);
  table.add("in MPI s", comparison.mpi);
  table.add("waiting s", comparison.waiting);
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    if (const RunChange& change = comparison.by_pattern[i]; change.before > 0 || change.after > 0)
      table.add(fmt::format("  {} s", title_of(static_cast<WaitPattern>(i))), change);
  table.add("energy of waiting J", comparison.energy);
  return table.text();
}

// The innermost three regions are enough to know the place.
std::string short_path_of(const ComparedTrace::Path& path) {
  constexpr std::size_t kMostRegions = 3;
  const std::size_t all = path.regions.size();
  const std::size_t first = all > kMostRegions ? all - kMostRegions : 0;
  std::string text = first > 0 ? ".../" : "";
  for (std::size_t i = first; i < all; ++i)
    text += (i == first ? "" : "/") + shortened(path.regions[i]);
  return text;
}

bool changed(const RunComparison::PathChange& path) {
  return path.time.difference() != 0 || path.waiting.difference() != 0;
}

bool is_beyond(const RunComparison::PathChange& path) {
  return path.time.beyond_noise().value_or(false) || path.waiting.beyond_noise().value_or(false);
}

std::string paths_text(const RunComparison& comparison) {
  const bool noise = comparison.knows_noise();
  std::vector<const RunComparison::PathChange*> shown;
  for (const RunComparison::PathChange& path : comparison.paths)
    if (noise ? is_beyond(path) : changed(path)) shown.push_back(&path);
  if (shown.empty())
    return noise ? "No call path changed beyond noise. --json has all.\n"
                 : "No call path changed.\n";
  Table table({{noise ? "changed beyond noise" : "call path", Table::Align::kLeft},
               {"time s"},
               {"change s"},
               {"%"},
               {"waiting s"},
               {"change s"},
               {"energy J"},
               {"change J"}});
  for (std::size_t i = 0; i < std::min(shown.size(), kMostPaths); ++i) {
    const RunComparison::PathChange& path = *shown[i];
    table.add({short_path_of(path.path), fmt::format("{:.4g}", path.time.after),
               signed_number(path.time.difference()), percent_of_change(path.time),
               fmt::format("{:.4g}", path.waiting.after), signed_number(path.waiting.difference()),
               fmt::format("{:.4g}", path.energy.after), signed_number(path.energy.difference())});
  }
  std::string text = table.text();
  if (shown.size() > kMostPaths)
    text += fmt::format("{} more; --json has all.\n", shown.size() - kMostPaths);
  return text;
}

std::string noise_line(const RunComparison& comparison) {
  if (!comparison.knows_noise())
    return "How much runs differ by chance is not known from one run of each side: give several "
           "(see --help).\n";
  std::string text = fmt::format(
      "Noise: what the difference of the means may be off by chance (Welch, {:.0f} %). Of {} "
      "compared, one in "
      "{:.0f} is beyond it by chance.\n",
      100 * (1 - kFalseChanges), counted(comparison.paths.size(), "call path"), 1 / kFalseChanges);
  if (comparison.before.traces.size() < 2 || comparison.after.traces.size() < 2)
    text += "One side is a single run: it is taken to vary as the other side does.\n";
  return text;
}

std::string ranks_line(const RunComparison& comparison) {
  std::set<std::uint32_t> ranks(comparison.before.ranks.begin(), comparison.before.ranks.end());
  ranks.insert(comparison.after.ranks.begin(), comparison.after.ranks.end());
  return ranks.size() == 1 ? ""
                           : "Numbers of ranks differ: sums over all ranks change with them.\n";
}

}  // namespace

std::string comparison_text(const RunComparison& comparison) {
  return side_line("Before", comparison.before) + side_line("After", comparison.after) + "\n" +
         totals_text(comparison) + "\n" + paths_text(comparison) + noise_line(comparison) +
         ranks_line(comparison);
}

}  // namespace huddle
