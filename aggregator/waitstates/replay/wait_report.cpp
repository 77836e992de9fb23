#include "aggregator/waitstates/replay/wait_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::waitstates {
namespace {

struct Names {
  std::string_view title;
  std::string_view name;
};

constexpr std::array<Names, kWaitPatterns> kNames{{
    {"Late Sender", "late_sender"},
    {"Late Receiver", "late_receiver"},
    {"Wait at Barrier", "wait_at_barrier"},
    {"Wait at N x N", "wait_at_nxn"},
    {"Late Broadcast", "late_broadcast"},
    {"Early Reduce", "early_reduce"},
    {"Early Scan", "early_scan"},
    {"Late Post", "late_post"},
    {"Late Complete", "late_complete"},
    {"Wait at Fence", "wait_at_fence"},
    {"Wait at OpenMP Barrier", "wait_at_openmp_barrier"},
    {"Late Sender while Polling", "late_sender_while_polling"},
    {"Late Sender in Wrong Order", "late_sender_wrong_order"},
    {"Lock Contention", "lock_contention"},
    {"Wait at File Access", "wait_at_file_access"},
    {"OpenMP Lock Contention", "openmp_lock_contention"},
}};

}  // namespace

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

std::string_view title_of(WaitPattern pattern) {
  return kNames.at(static_cast<std::size_t>(pattern)).title;
}

std::string_view name_of(WaitPattern pattern) {
  return kNames.at(static_cast<std::size_t>(pattern)).name;
}

std::vector<std::string> remarks_on(const WaitReport& report) {
  const TraceAnomalies& found = report.anomalies;
  std::vector<std::string> sentences;
  const auto add = [&](std::uint64_t count, std::string_view one, std::string_view many,
                       std::string_view so) {
    if (count > 0) sentences.push_back(fmt::format("{}: {}.", pluralize(count, one, many), so));
  };
  add(found.receives_without_send, "message received that nobody sends in this trace",
      "messages received that nobody sends in this trace",
      "whether anybody waited there is not known");
  add(found.sends_without_receive, "message sent that nobody receives in this trace",
      "messages sent that nobody receives in this trace",
      "whether anybody waited there is not known");
  add(found.requests_without_end, "request that does not end in this trace",
      "requests that do not end in this trace", "whether anybody waited there is not known");
  add(found.unfinished_collectives, "collective operation that not all members come to",
      "collective operations that not all members come to", "no waiting is counted there");
  add(found.regions_without_end, "region that does not end", "regions that do not end",
      "taken to end with the last event of the location");
  if (found.clock_violations > 0)
    sentences.push_back(fmt::format(
        "{}, by up to {:.3g} s: the clocks differ; the receiver's was set forward, and times near "
        "it are no better than that.",
        pluralize(found.clock_violations, "message that arrived before it was sent",
                  "messages that arrived before they were sent"),
        static_cast<double>(found.largest_clock_violation) /
            static_cast<double>(report.ticks_per_second)));
  sentences.insert(sentences.end(), report.remarks.begin(), report.remarks.end());
  return sentences;
}

}  // namespace huddle::waitstates
