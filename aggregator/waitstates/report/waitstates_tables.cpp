#include "aggregator/waitstates/report/waitstates_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr Table::Align kLeft = Table::Align::kLeft;
// Of all waiting: what a tree leaves out.
constexpr double kLeastShare = 0.001;
// Deeper call paths are written without more indentation.
constexpr std::size_t kDeepestIndentation = 30;

std::string energy_cell(std::int64_t nanojoules) {
  return fmt::format("{:.4g}", joules(nanojoules));
}

std::string percent_cell(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.1f}", percent_of(static_cast<double>(part), static_cast<double>(whole)));
}

// "Wait at Barrier 80 %": what most of the waiting is.
std::string foremost_cell(const std::array<std::uint64_t, kWaitPatterns>& ticks,
                          std::uint64_t all) {
  const std::size_t pattern = foremost(ticks);
  if (pattern == kWaitPatterns) return "";
  return fmt::format("{} {:.0f} %", title_of(static_cast<WaitPattern>(pattern)),
                     percent_of(static_cast<double>(ticks[pattern]), static_cast<double>(all)));
}

// Lines of the tree below a call path, in the order they are printed in.
class CallTree {
 public:
  explicit CallTree(const WaitAnswer& answer)
      : answer_(answer), children_(answer.report.call_paths.size() + 1) {
    const auto& paths = answer.report.call_paths;
    for (std::uint32_t i = 0; i < paths.size(); ++i)
      children_[paths[i].parent < i ? paths[i].parent + 1 : 0].push_back(i);
  }

  std::string text() {
    add_children(0, 0);
    std::string text = table_.text();
    if (left_out_ > 0)
      text += fmt::format("{} more with less than {:.1f} % of the waiting each; --csv has all.\n",
                          left_out_, 100 * kLeastShare);
    return text;
  }

 private:
  void add_children(std::size_t of, std::size_t depth) {
    std::vector<std::uint32_t>& children = children_[of];
    const auto waiting = [&](std::uint32_t path) {
      return answer_.sums.inclusive[path].waits.ticks;
    };
    std::stable_sort(children.begin(), children.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return waiting(a) > waiting(b); });
    for (const std::uint32_t path : children) add(path, depth);
  }

  void add(std::uint32_t path, std::size_t depth) {
    const PathTotals& sums = answer_.sums.inclusive[path];
    if (sums.waits.ticks == 0) return;
    const std::uint64_t all = answer_.sums.waits.ticks;
    if (static_cast<double>(sums.waits.ticks) < kLeastShare * static_cast<double>(all)) {
      ++left_out_;
      return;
    }
    table_.add({std::string(2 * std::min(depth, kDeepestIndentation), ' ') +
                    shortened(answer_.report.call_paths[path].region),
                fmt::format("{:.4g}", answer_.seconds(sums.waits.ticks)),
                percent_cell(sums.waits.ticks, all), percent_cell(sums.waits.ticks, sums.ticks),
                std::to_string(sums.waits.count), energy_cell(sums.waits.energy.spent_nj),
                energy_cell(sums.waits.energy.saving_nj),
                energy_cell(sums.waits.energy.busy_saving_nj),
                foremost_cell(sums.by_pattern, sums.waits.ticks)});
    add_children(path + 1, depth + 1);
  }

  const WaitAnswer& answer_;
  std::vector<std::vector<std::uint32_t>> children_;  // the outermost first
  std::size_t left_out_ = 0;
  Table table_{{{"call path", kLeft},
                {"waiting s"},
                {"% of all"},
                {"% of its time"},
                {"waits"},
                {"energy J"},
                {"ESP J"},
                {"ESP_BW J"},
                {"mostly", kLeft}}};
};

}  // namespace

std::string waits_by_call_path(const WaitAnswer& answer) {
  return CallTree(answer).text();
}

std::string waits_by_rank(const WaitAnswer& answer) {
  const WaitReport& report = answer.report;
  const bool threads = std::any_of(report.locations.begin(), report.locations.end(),
                                   [](const ReportLocation& at) { return at.thread > 0; });
  std::vector<std::uint32_t> order(report.locations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const ReportLocation& left = report.locations[a];
    const ReportLocation& right = report.locations[b];
    return left.rank != right.rank ? left.rank < right.rank : left.thread < right.thread;
  });
  Table table({{threads ? "rank.thread" : "rank"},
               {"node", kLeft},
               {"time s"},
               {"MPI s"},
               {"waiting s"},
               {"% of its time"},
               {"waits"},
               {"energy J"},
               {"ESP J"},
               {"ESP_BW J"},
               {"mostly", kLeft}});
  for (const std::uint32_t i : order) {
    const ReportLocation& at = report.locations[i];
    const LocationTotals& sums = answer.sums.locations[i];
    table.add({threads ? fmt::format("{}.{}", at.rank, at.thread) : std::to_string(at.rank),
               shortened(at.node, 30), fmt::format("{:.4g}", answer.seconds(sums.ticks)),
               fmt::format("{:.4g}", answer.seconds(sums.mpi)),
               fmt::format("{:.4g}", answer.seconds(sums.waits.ticks)),
               percent_cell(sums.waits.ticks, sums.ticks), std::to_string(sums.waits.count),
               energy_cell(sums.waits.energy.spent_nj), energy_cell(sums.waits.energy.saving_nj),
               energy_cell(sums.waits.energy.busy_saving_nj),
               foremost_cell(sums.by_pattern, sums.waits.ticks)});
  }
  return table.text();
}

}  // namespace huddle
