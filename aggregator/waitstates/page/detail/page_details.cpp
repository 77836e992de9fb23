// What the page's timeline shows beside its bins: messages and functions.

#include <cstdint>
#include <map>

#include "aggregator/waitstates/page/detail/page_data.hpp"

namespace huddle {
namespace {

// The row of each rank's first thread.
std::map<std::uint32_t, std::uint32_t> rows_of_ranks(const WaitReport& report,
                                                     const PageRows& rows) {
  std::map<std::uint32_t, std::uint32_t> of_rank;
  for (std::uint32_t i = 0; i < report.locations.size(); ++i)
    if (report.locations[i].thread == 0)
      of_rank.emplace(report.locations[i].rank, rows.row_of_location[i]);
  return of_rank;
}

}  // namespace

nlohmann::ordered_json page_messages(const WaitReport& report, const PageRows& rows,
                                     const TimelineDetail& detail) {
  const std::map<std::uint32_t, std::uint32_t> of_rank = rows_of_ranks(report, rows);
  auto array = nlohmann::ordered_json::array();
  for (const TimelineMessage& message : detail.messages) {
    const auto sender = of_rank.find(message.sender);
    const auto receiver = of_rank.find(message.receiver);
    if (sender == of_rank.end() || receiver == of_rank.end()) continue;
    array.push_back(sender->second);
    array.push_back(message.sent);
    array.push_back(receiver->second);
    array.push_back(message.received);
    array.push_back(message.waiting);
  }
  return array;
}

nlohmann::ordered_json page_functions(const WaitReport& report, const PageRows& rows,
                                      const TimelineDetail& detail) {
  auto array = nlohmann::ordered_json::array();
  if (rows.together > 1) return array;
  const std::map<std::uint32_t, std::uint32_t> of_rank = rows_of_ranks(report, rows);
  for (const TimelineFunction& function : detail.functions) {
    const auto row = of_rank.find(function.rank);
    if (row == of_rank.end() || function.call_path >= report.call_paths.size()) continue;
    array.push_back(row->second);
    array.push_back(function.first_bin);
    array.push_back(function.bins);
    array.push_back(function.call_path);
  }
  return array;
}

}  // namespace huddle
