#include "tests/aggregator/waitstates/made_up_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tests/aggregator/machines_on_file.hpp"

namespace huddle::waitstates {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

}  // namespace

ReportMaker::ReportMaker(std::uint32_t ranks, std::uint32_t nodes, std::uint64_t duration) {
  constexpr std::uint64_t kBegin = 5000;
  report_.trace = "made-up/traces.otf2";
  report_.begin = kBegin;
  report_.end = kBegin + duration;
  report_.power = power_states_of(machine_on_file("opteron-6168"));
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    report_.locations.push_back({fmt::format("rank {}", rank), rank, 0,
                                 fmt::format("n{}", rank * nodes / ranks), kBegin,
                                 kBegin + duration, 1000});
  report_.events = std::uint64_t{1000} * ranks;
  report_.timeline_begin = kBegin;
  report_.timeline_bin = duration / kBins;
  report_.timeline.assign(ranks, std::vector<TimelineBin>(kBins));
}

std::uint32_t ReportMaker::path(std::uint32_t parent, std::string region, bool mpi) {
  report_.call_paths.push_back({parent, std::move(region), mpi});
  return static_cast<std::uint32_t>(report_.call_paths.size() - 1);
}

void ReportMaker::time(std::uint32_t path, std::uint32_t location, std::uint64_t visits,
                       std::uint64_t ticks) {
  report_.times.push_back({path, location, visits, ticks});
}

void ReportMaker::waits(WaitPattern pattern, std::uint32_t path, std::uint32_t location,
                        std::uint64_t count, std::uint64_t ticks) {
  PathWaits waits{pattern, path, location, count, count * ticks, ticks, {}};
  const WaitCost cost(report_.power, static_cast<double>(report_.ticks_per_second));
  for (std::uint64_t i = 0; i < count; ++i) cost.add_to(waits.energy, ticks);
  report_.waits.push_back(std::move(waits));
}

std::uint32_t ReportMaker::thread(std::uint32_t rank, std::uint32_t number) {
  ReportLocation location = report_.locations.at(rank);
  location.name = fmt::format("rank {} thread {}", rank, number);
  location.thread = number;
  report_.locations.push_back(std::move(location));
  report_.timeline.emplace_back(kBins);
  return static_cast<std::uint32_t>(report_.locations.size() - 1);
}

void ReportMaker::draw(std::uint32_t location, std::uint64_t begin, std::uint64_t end,
                       WaitPattern pattern, std::uint64_t waiting) {
  const std::uint64_t bin_ticks = report_.timeline_bin;
  const auto within = [&](std::uint64_t from, std::uint64_t to, std::size_t bin) {
    const std::uint64_t low = std::max(from, bin * bin_ticks);
    const std::uint64_t high = std::min(to, (bin + 1) * bin_ticks);
    return high > low ? high - low : 0;
  };
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    TimelineBin& at = report_.timeline[location][bin];
    at.mpi += within(begin, end, bin);
    at.waiting[static_cast<std::size_t>(pattern)] += within(begin, begin + waiting, bin);
  }
}

WaitReport ReportMaker::finish() {
  const auto key = [](const PathTime& time) { return std::tie(time.call_path, time.location); };
  std::sort(report_.times.begin(), report_.times.end(),
            [&](const PathTime& a, const PathTime& b) { return key(a) < key(b); });
  const auto waits_key = [](const PathWaits& waits) {
    return std::tie(waits.pattern, waits.call_path, waits.location);
  };
  std::sort(report_.waits.begin(), report_.waits.end(),
            [&](const PathWaits& a, const PathWaits& b) { return waits_key(a) < waits_key(b); });
  return std::move(report_);
}

WaitReport small_report() {
  ReportMaker maker(4, 2, 2000 * kMillisecond);
  const std::uint32_t program = maker.path(CallPath::kRoot, "main");
  const std::uint32_t exchange = maker.path(program, "exchange<T>");
  const std::uint32_t solve = maker.path(program, "solve");
  const std::uint32_t receive = maker.path(exchange, "MPI_Recv", true);
  const std::uint32_t send = maker.path(exchange, "MPI_Send", true);
  const std::uint32_t barrier = maker.path(solve, "MPI_Barrier", true);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    maker.time(program, rank, 1, 100 * kMillisecond);
    maker.time(exchange, rank, 10, 50 * kMillisecond);
    const std::uint64_t received = rank == 0 ? 10 : 500;
    const std::uint64_t in_barrier = rank == 0 ? 10 : 200 * rank;
    maker.time(receive, rank, 10, received * kMillisecond);
    maker.time(send, rank, 10, 20 * kMillisecond);
    maker.time(barrier, rank, 1, in_barrier * kMillisecond);
    maker.time(solve, rank, 1, (2000 - 170 - received - in_barrier) * kMillisecond);
    maker.draw(rank, 100 * kMillisecond, (100 + received) * kMillisecond, WaitPattern::kLateSender,
               rank == 0 ? 0 : 480 * kMillisecond);
    maker.draw(rank, (1900 - in_barrier) * kMillisecond, 1900 * kMillisecond,
               WaitPattern::kWaitAtBarrier, rank == 0 ? 0 : (in_barrier - 10) * kMillisecond);
    if (rank == 0) continue;
    maker.waits(WaitPattern::kLateSender, receive, rank, 10, 48 * kMillisecond);
    maker.waits(WaitPattern::kWaitAtBarrier, barrier, rank, 1, (in_barrier - 10) * kMillisecond);
  }
  maker.report().anomalies.clock_violations = 2;
  maker.report().anomalies.largest_clock_violation = 3000;
  maker.report().remarks = {
      "The trace does not say where region 7 begins in </script> the source."};
  return maker.finish();
}

WaitReport large_report(std::uint32_t ranks, std::uint32_t paths) {
  constexpr std::uint64_t kDuration = 60'000 * kMillisecond;
  ReportMaker maker(ranks, std::max(ranks / 16, 1U), kDuration);
  const std::uint32_t program = maker.path(CallPath::kRoot, "main");
  std::vector<std::uint32_t> functions = {program};
  while (maker.report().call_paths.size() + 2 < paths) {
    const std::size_t next = functions.size();
    functions.push_back(maker.path(functions[(next - 1) / 3], fmt::format("work_{}", next)));
    if (next % 3 == 0) maker.path(functions.back(), "MPI_Waitall", true);
    if (next % 4 == 0) maker.path(functions.back(), "MPI_Allreduce", true);
  }
  const std::uint64_t share = kDuration / maker.report().call_paths.size();
  for (std::uint32_t path = 0; path < maker.report().call_paths.size(); ++path) {
    const bool mpi = maker.report().call_paths[path].mpi;
    const bool all = maker.report().call_paths[path].region == "MPI_Allreduce";
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const double wave = 0.5 + 0.5 * std::sin(0.02 * rank + 0.1 * path);
      const auto waiting = static_cast<std::uint64_t>(static_cast<double>(share) * 0.8 * wave);
      maker.time(path, rank, 50 + path, share);
      maker.draw(rank, path * share, path * share + (mpi ? share : 0),
                 all ? WaitPattern::kWaitAtNxN : WaitPattern::kLateSender, mpi ? waiting : 0);
      if (mpi && waiting > kMillisecond)
        maker.waits(all ? WaitPattern::kWaitAtNxN : WaitPattern::kLateSender, path, rank, 5,
                    waiting / 5);
    }
  }
  return maker.finish();
}

}  // namespace huddle::waitstates
