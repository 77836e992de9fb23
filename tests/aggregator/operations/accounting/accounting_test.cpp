#include "aggregator/operations/accounting/accounting.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::operations {
namespace {

// As sacct of Slurm 22.05 printed it, with slurmdbd and acct_gather_energy/pm_counters.
constexpr std::string_view kPrinted =
    "2|1795309246|7|4|2841|billing=32,cpu=32,mem=8000M,node=4|batch\n"
    "2.0|1795309246|7|4|2841|cpu=32,mem=8000M,node=4|\n"
    "5|1795309260|6|4|2405|cpu=8,node=4\n"
    "5.batch|1795309260|6|1|629|billing=7,cpu=2,node=1\n"
    "5.extern|1795309260|6|4||cpu=8,node=4\n"
    "5.0|1795309260|3|4|1191|cpu=8,node=4\n"
    "5.1|1795309263|3|4||cpu=8,node=4\n";

TEST_CASE("steps are read with their energy, whole jobs and other steps are passed over") {
  Accounting accounting;
  read_accounting(kPrinted, "site", accounting);
  const auto& steps = accounting.steps;
  REQUIRE(steps.size() == 3);
  const AccountedStep& step = steps.at({"site", 5, 0});
  CHECK(step.energy == "1191");
  CHECK(step.elapsed == Seconds{3});
  CHECK(step.nodes == 4);
  CHECK(text_of(*step.start) == "2026-11-22T01:01:00.000Z");
  CHECK(steps.at({"site", 5, 1}).energy.empty());
}

TEST_CASE("what a job is charged for is that of the whole job, where Slurm says it") {
  Accounting accounting;
  read_accounting(kPrinted, "site", accounting);
  REQUIRE(accounting.billing.size() == 1);
  CHECK(accounting.billing.at({"site", 2}) == 32);
}

TEST_CASE("a job's partition is that of the row of the whole job") {
  Accounting accounting;
  read_accounting(kPrinted, "site", accounting);
  REQUIRE(accounting.partitions.size() == 1);
  CHECK(accounting.partitions.at({"site", 2}) == "batch");
}

TEST_CASE("rows that are not understood are passed over") {
  Accounting accounting;
  read_accounting(
      "\n|||\nx.y|1|2|3|4\n1.0\n7.0|Unknown|5|1|300\n1.0|1|-2|3|4\n9.0|1|2|3|4|5|6|7\n1."
      "99999999999|"
      "1|2|3|4",
      "", accounting);
  const auto& steps = accounting.steps;
  REQUIRE(steps.size() == 2);
  CHECK_FALSE(steps.at({"", 7, 0}).start);  // "Unknown": it did not begin
  CHECK(steps.at({"", 9, 0}).energy == "4");
}

TEST_CASE("many jobs are asked for in few calls, each cluster for itself") {
  std::vector<std::uint64_t> many;
  for (std::uint64_t job = 1; job <= 2500; ++job) many.push_back(job);
  std::vector<std::vector<std::string>> calls;
  std::size_t last_done = 0;
  const Accounting accounting = ask_accounting(
      {{"a", many}, {"", {7}}},
      [&](const std::vector<std::string>& command) {
        calls.push_back(command);
        return std::string("7.0|1|2|3|4\n");
      },
      [&](std::size_t done, std::size_t all) {
        last_done = done;
        CHECK(all == 2501);
      });
  REQUIRE(calls.size() == 4);
  CHECK(last_done == 2501);
  CHECK(accounting.steps.size() == 2);
  const std::vector<std::string> first = {
      "/usr/bin/env",
      "SLURM_TIME_FORMAT=%s",
      "sacct",
      "--parsable2",
      "--noheader",
      "--jobs=7",
      "--format=JobIDRaw,Start,ElapsedRaw,NNodes,ConsumedEnergyRaw,AllocTRES,Partition"};
  CHECK(calls[0] == first);
  CHECK(calls[1].back() == "--clusters=a");
  CHECK(calls[3][5].starts_with("--jobs=2001,"));
}

TEST_CASE("the error of an sacct that fails has its own words") {
  try {
    run_accounting_command(
        {"/bin/sh", "-c", "echo 'Slurm accounting storage is disabled' >&2; exit 1"});
    FAIL("it succeeded");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "sacct ended with status 1: Slurm accounting storage is disabled");
  }
  CHECK(run_accounting_command({"/bin/sh", "-c", "echo 1.0"}) == "1.0\n");
}

}  // namespace
}  // namespace huddle::operations
