#include "aggregator/waitstates/page/page_rows.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace huddle {
namespace {

std::vector<std::uint32_t> by_rank_and_thread(const WaitReport& report) {
  std::vector<std::uint32_t> order(report.locations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const ReportLocation& left = report.locations[a];
    const ReportLocation& right = report.locations[b];
    return left.rank != right.rank ? left.rank < right.rank : left.thread < right.thread;
  });
  return order;
}

// Whether a row holds locations of several nodes: then nodes can't be told apart on the page.
bool mixes_nodes(const WaitReport& report, const PageRows& rows) {
  return std::any_of(rows.rows.begin(), rows.rows.end(), [&](const PageRow& row) {
    return std::any_of(row.locations.begin(), row.locations.end(), [&](std::uint32_t location) {
      return report.locations[location].node != report.locations[row.locations[0]].node;
    });
  });
}

void name_nodes(const WaitReport& report, PageRows& rows) {
  if (mixes_nodes(report, rows)) {
    rows.nodes = {""};
    return;
  }
  std::map<std::string, std::uint32_t> numbers;
  for (PageRow& row : rows.rows) {
    const std::string& name = report.locations[row.locations[0]].node;
    const auto [known, added] = numbers.emplace(name, rows.nodes.size());
    if (added) rows.nodes.push_back(name);
    row.node = known->second;
  }
}

}  // namespace

PageRows rows_of(const WaitReport& report, std::size_t most_rows) {
  const std::vector<std::uint32_t> order = by_rank_and_thread(report);
  most_rows = std::max<std::size_t>(most_rows, 1);
  PageRows rows;
  rows.together = std::max<std::size_t>((order.size() + most_rows - 1) / most_rows, 1);
  rows.row_of_location.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ReportLocation& location = report.locations[order[i]];
    if (i % rows.together == 0)
      rows.rows.push_back({location.rank, location.rank, location.thread, 0, {}});
    PageRow& row = rows.rows.back();
    row.last_rank = location.rank;
    row.locations.push_back(order[i]);
    rows.row_of_location[order[i]] = static_cast<std::uint32_t>(rows.rows.size() - 1);
  }
  name_nodes(report, rows);
  return rows;
}

}  // namespace huddle
