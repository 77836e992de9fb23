// The comparison of two runs, for people.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/comparison/run_comparison.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::waitstates {
namespace {

constexpr std::size_t kMostPaths = 20;

std::string run_line(std::string_view name, const RunComparison::Run& run) {
  return fmt::format("{}: {} of {}\n", name, shortened(run.trace, 100),
                     pluralize(run.ranks, "rank"));
}

std::string signed_number(double value) {
  return value == 0 ? "0" : fmt::format("{:+.4g}", value);
}

std::string percent_of_change(const RunChange& change) {
  if (change.difference() == 0) return "0";
  if (change.before <= 0) return change.after > 0 ? "new" : "";
  return fmt::format("{:+.1f}", 100 * change.difference() / change.before);
}

std::string totals_text(const RunComparison& comparison) {
  render::Table table(
      {{"", render::Table::Align::kLeft}, {"before"}, {"after"}, {"change"}, {"%"}});
  const auto add = [&](const std::string& title, const RunChange& change) {
    table.add({title, fmt::format("{:.4g}", change.before), fmt::format("{:.4g}", change.after),
               signed_number(change.difference()), percent_of_change(change)});
  };
  add("run time s", comparison.run_time);
  add("time of all ranks s", comparison.time);
  add("in MPI s", comparison.mpi);
  add("waiting s", comparison.waiting);
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    if (const RunChange& change = comparison.by_pattern[i]; change.before > 0 || change.after > 0)
      add(fmt::format("  {} s", title_of(static_cast<WaitPattern>(i))), change);
  add("energy of waiting J", comparison.energy);
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

std::string paths_text(const RunComparison& comparison) {
  std::vector<const RunComparison::PathChange*> shown;
  for (const RunComparison::PathChange& path : comparison.paths)
    if (changed(path)) shown.push_back(&path);
  if (shown.empty()) return "No call path changed.\n";
  render::Table table({{"call path", render::Table::Align::kLeft},
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

std::string ranks_line(const RunComparison& comparison) {
  return comparison.before.ranks == comparison.after.ranks
             ? ""
             : "Numbers of ranks differ: sums over all ranks change with them.\n";
}

}  // namespace

std::string comparison_text(const RunComparison& comparison) {
  return run_line("Before", comparison.before) + run_line("After", comparison.after) + "\n" +
         totals_text(comparison) + "\n" + paths_text(comparison) +
         "How much runs differ by chance is not known from one of each.\n" + ranks_line(comparison);
}

}  // namespace huddle::waitstates
