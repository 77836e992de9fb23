#include "aggregator/operations/accounting/accounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

#include "aggregator/operations/sacct/sacct_text.hpp"
#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::operations {
namespace {

constexpr std::size_t kOutputLimit = std::size_t{64} << 20U;
// Well below what a command line holds.
constexpr std::size_t kJobsInOneCall = 1000;

// The columns that are asked for, in this order.
constexpr std::string_view kFormat =
    "--format=JobIDRaw,Start,ElapsedRaw,NNodes,ConsumedEnergyRaw,AllocTRES,Partition";
constexpr std::size_t kColumns = 7;

void read_row(std::string_view row, const std::string& cluster, Accounting& accounting) {
  std::array<std::string_view, kColumns> cells;
  for (std::string_view& cell : cells) cell = next_part(row, '|');
  std::string_view name = cells[0];
  const bool is_job = name.find('.') == std::string_view::npos;
  const auto job = number_in<std::uint64_t>(next_part(name, '.'));
  const auto step = number_in<std::uint32_t>(name);
  if (const auto billing = number_in<double>(resource_in(cells[5], "billing"));
      is_job && job && billing)
    accounting.billing[{cluster, *job}] = *billing;
  if (is_job && job && !cells[6].empty()) accounting.partitions[{cluster, *job}] = cells[6];
  const auto elapsed = number_in<std::uint64_t>(cells[2]);
  const auto nodes = number_in<std::uint32_t>(cells[3]);
  if (!job || !step || !elapsed || !nodes) return;
  AccountedStep accounted;
  if (const auto start = number_in<std::int64_t>(cells[1]))
    accounted.start = UtcTime(std::chrono::seconds(*start));
  accounted.elapsed.value = static_cast<double>(*elapsed);
  accounted.nodes = *nodes;
  accounted.energy = cells[4];
  accounting.steps[{cluster, *job, *step}] = std::move(accounted);
}

std::vector<std::string> command_for(const std::string& cluster,
                                     const std::vector<std::uint64_t>& jobs, std::size_t first,
                                     std::size_t end) {
  std::string list;
  for (std::size_t i = first; i < end; ++i)
    list += fmt::format("{}{}", list.empty() ? "" : ",", jobs[i]);
  // Times as seconds of UTC.
  std::vector<std::string> command = {
      "/usr/bin/env",      "SLURM_TIME_FORMAT=%s", "sacct",
      "--parsable2",       "--noheader",           fmt::format("--jobs={}", list),
      std::string(kFormat)};
  if (!cluster.empty()) command.push_back(fmt::format("--clusters={}", cluster));
  return command;
}

}  // namespace

void read_accounting(std::string_view text, const std::string& cluster, Accounting& accounting) {
  while (!text.empty()) read_row(next_part(text, '\n'), cluster, accounting);
}

std::string run_accounting_command(const std::vector<std::string>& command,
                                   std::chrono::seconds limit) {
  const processes::ChildResult result = processes::run_child(command, limit, {}, kOutputLimit);
  if (result.timed_out) throw Error(fmt::format("sacct did not answer within {} s", limit.count()));
  if (result.status != 0) {
    std::string_view errors = result.errors;
    throw Error(fmt::format("sacct ended with status {}: {}", result.status,
                            shortened(next_part(errors, '\n'), 200)));
  }
  return result.output;
}

Accounting ask_accounting(const std::map<std::string, std::vector<std::uint64_t>>& jobs,
                          const CommandRunner& run,
                          const std::function<void(std::size_t, std::size_t)>& progress) {
  std::size_t all = 0;
  for (const auto& [cluster, numbers] : jobs) all += numbers.size();
  std::size_t done = 0;
  Accounting accounting;
  for (const auto& [cluster, numbers] : jobs)
    for (std::size_t first = 0; first < numbers.size(); first += kJobsInOneCall) {
      const std::size_t end = std::min(first + kJobsInOneCall, numbers.size());
      read_accounting(run(command_for(cluster, numbers, first, end)), cluster, accounting);
      progress(done += end - first, all);
    }
  return accounting;
}

}  // namespace huddle::operations
