// Measures how long critical paths, slack and replays take, and what memory, by the length of the
// log.

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"
#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/critical_path.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "aggregator/waitstates/criticalpath/what_if.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/benchmark_main.hpp"

namespace huddle {
namespace {

constexpr std::string_view kUsage =
    "usage: critical_path_speed [--ranks N] ACTIVITIES...\n"
    "For each number, makes up the log of a program with so many MPI calls (each rank talks to\n"
    "its neighbours in a ring, and every tenth call is an allreduce), and prints what it takes to\n"
    "make the log and to use it, in seconds of CPU time. Default: 64 ranks, 100000 1000000\n"
    "10000000.\n";

struct Options {
  std::uint32_t ranks = 64;
  std::vector<std::uint64_t> activities;
};

Options parsed(const std::vector<std::string_view>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--ranks")
      options.activities.push_back(number_from(arguments[i]));
    else if (++i < arguments.size())
      options.ranks = static_cast<std::uint32_t>(number_from(arguments[i]));
    else
      throw UsageError("--ranks needs a number");
  }
  if (options.ranks < 2) throw UsageError("2 ranks are needed");
  if (options.activities.empty()) options.activities = {100'000, 1'000'000, 10'000'000};
  return options;
}

// Memory of this process that the kernel can't take back by writing it to a file, in MiB.
double own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) / 1024;
  return 0;
}

// All calls of all ranks, call by call.
class MadeUpProgram {
 public:
  MadeUpProgram(std::uint32_t ranks, std::uint64_t activities)
      : ranks_(ranks), calls_(activities / ranks), now_(ranks), enters_(ranks) {}

  waitstates::ActivityLog log() {
    const char* const names[] = {"main", "solve", "MPI_Sendrecv", "MPI_Allreduce"};
    for (const char* name : names) definitions_.regions.push_back({name, {}});
    report_.call_paths = {{waitstates::CallPath::kRoot, "main", false},
                          {0, "solve", false},
                          {1, "MPI_Sendrecv", true},
                          {1, "MPI_Allreduce", true}};
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      buffer_.add_path(rank, 0, waitstates::CallPath::kRoot, 0, false);
      buffer_.add_path(rank, 1, 0, 1, false);
      buffer_.add_path(rank, 2, 1, 2, true);
      buffer_.add_path(rank, 3, 1, 3, true);
    }
    for (std::uint64_t call = 0; call < calls_; ++call) add_call(call);
    add_ends();
    return waitstates::make_activity_log(buffer_, report_, definitions_);
  }

 private:
  void add_call(std::uint64_t call) {
    const bool collective = call % 10 == 9;
    std::uint64_t last = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      // The ranks differ by up to a third in what they do, and each varies a little.
      enters_[rank] = now_[rank] + 9'000 + 3'000 * rank / ranks_ + random() % 500;
      last = std::max(last, enters_[rank]);
    }
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const std::uint32_t left = (rank + ranks_ - 1) % ranks_;
      const std::uint64_t until = collective ? last : enters_[left];
      now_[rank] = std::max(enters_[rank], until) + 200;
      buffer_.add(rank, waitstates::Activity{enters_[rank], now_[rank], collective ? 3U : 2U, 1});
      waitstates::Dependency dependency;
      dependency.activity = dependency.begun_by = call;
      dependency.on = collective ? call / 10 : call;
      dependency.rank = left;
      dependency.place = rank;
      dependency.members = ranks_;
      if (collective) dependency.kind = waitstates::DependencyKind::kCollectiveAll;
      buffer_.add(rank, dependency);
    }
  }

  void add_ends() {
    definitions_.ranks.resize(ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      waitstates::ReportLocation location;
      location.rank = rank;
      location.end = now_[rank] + 100;
      report_.locations.push_back(location);
    }
  }

  std::uint64_t random() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 33U;
  }

  std::uint32_t ranks_;
  std::uint64_t calls_;
  std::uint64_t state_ = 1;
  std::vector<std::uint64_t> now_;
  std::vector<std::uint64_t> enters_;
  waitstates::ActivityBuffer buffer_;
  waitstates::WaitReport report_;
  traces::TraceDefinitions definitions_;
};

// The processor time of this process' own work: what others do on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class Work>
double seconds_of(const Work& work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

waitstates::PowerStates states() {
  waitstates::PowerStates power;
  power.states.push_back({"2 GHz", 10, 4, 0, 0, 2e9});
  power.states.push_back({"1.8 GHz", 9, 3.8, 1e-5, 0.05, 1.8e9});
  return power;
}

void measure(std::uint32_t ranks, std::uint64_t activities) {
  waitstates::ActivityLog log;
  const double making = seconds_of([&] { log = MadeUpProgram(ranks, activities).log(); });
  waitstates::CriticalPath path;
  const double walking = seconds_of([&] { path = waitstates::critical_path_of(log); });
  waitstates::SlackReport slack;
  const double slackening = seconds_of([&] { slack = slack_of(log); });
  waitstates::WhatIfReport changed;
  const double replaying = seconds_of([&] {
    changed = waitstates::what_if(log, waitstates::parse_what_if("slack"), states(), &slack);
  });
  if (changed.unchanged.run_time != path.run_time)
    throw Error("the replay with nothing changed is not the measured run");
  fmt::print("{:>12} {:>9.2f} {:>13.2f} {:>9.2f} {:>9.2f} {:>10.0f}\n", log.size(), making, walking,
             slackening, replaying, own_memory());
  std::fflush(stdout);
}

void run(const Options& options) {
  fmt::print("{:>12} {:>9} {:>13} {:>9} {:>9} {:>10}\n", "activities", "log s", "critical path",
             "slack s", "what-if s", "memory MiB");
  for (const std::uint64_t activities : options.activities) measure(options.ranks, activities);
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  return huddle::benchmark_main(
      "critical_path_speed", huddle::kUsage, argc, argv,
      [](const auto& arguments) { huddle::run(huddle::parsed(arguments)); });
}
