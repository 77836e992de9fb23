#include <doctest/doctest.h>

#include "aggregator/commands/setup/power_saving.hpp"

namespace huddle::cli {
namespace {

// As scontrol of Slurm 22.05 prints them; what does not matter is left out.
const char* const kPartitions =
    "PartitionName=all AllowGroups=ALL Nodes=n[0-3] State=UP TRES=cpu=32,mem=32G,node=4\n"
    "PartitionName=keep Nodes=n2 TotalNodes=1\n"
    "PartitionName=slow Nodes=n1 SuspendTimeout=GLOBAL SuspendTime=900\n"
    "PartitionName=never Nodes=n0 ResumeTimeout=GLOBAL SuspendTime=INFINITE\n"
    "PartitionName=usual Nodes=n3 ResumeTimeout=GLOBAL SuspendTime=GLOBAL\n";
const char* const kNodes =
    "NodeName=n0 Arch=x86_64 OS=Linux 6.1 #1 SMP Partitions=all,never  BootTime=2026\n"
    "NodeName=n1 Partitions=all,slow\n"
    "NodeName=n2 Partitions=all,keep\n"
    "NodeName=n3 Partitions=all,usual\n";

std::string expanded(const std::string& list) {
  if (list == "n[0-3]") return "n0\nn1\nn2\nn3\n";
  return list + "\n";
}

PowerSaving saving_with(const std::string& settings) {
  return power_saving_of(doctor::SlurmSettings(settings), kPartitions, kNodes, expanded);
}

const char* const kSleeps = "SuspendProgram = /bin/off\nSuspendTime = 300 sec\n";

std::string fate_of(const std::string& settings, const std::string& node) {
  return text_of(fates_of(unused_nodes_of(saving_with(settings), {node}), 1));
}

TEST_CASE("nodes that Slurm powers down sleep after its SuspendTime, or their partition's") {
  CHECK(fate_of(kSleeps, "n3") == "they sleep after 300 s");
  CHECK(fate_of(kSleeps, "n1") == "they sleep after 900 s");
  CHECK(fate_of(kSleeps, "n0") == "other jobs use them");
}

TEST_CASE("nodes that Slurm keeps on are used by others") {
  const std::string kept = std::string(kSleeps) + "SuspendExcParts = keep,else\n";
  CHECK(fate_of(kept, "n2") == "other jobs use them");
  CHECK(fate_of(kept, "n3") == "they sleep after 300 s");
  CHECK(fate_of(std::string(kSleeps) + "SuspendExcNodes = n1,n3\n", "n3") == "other jobs use them");
  const std::string two = std::string(kSleeps) + "SuspendExcNodes = n[0-3]:2\n";
  CHECK(fate_of(two, "n1") == "other jobs use them");
  CHECK(fate_of(two, "n2") == "they sleep after 300 s");
}

TEST_CASE("without a time or a program nothing sleeps") {
  for (const char* const settings :
       {"", "SuspendTime = 300 sec\n", "SuspendProgram = (null)\nSuspendTime = 300 sec\n",
        "SuspendProgram = /bin/off\nSuspendTime = NONE\n",
        "SuspendProgram = /bin/off\nSuspendTime = INFINITE\n"}) {
    CHECK(fate_of(settings, "n3") == "other jobs use them");
  }
  const UnusedNodes none = unused_nodes_of(saving_with(""), {"n0", "n3"});
  CHECK(none.origin == Origin::kAssumed);
  CHECK(none.groups.empty());
}

TEST_CASE("nodes that differ are in groups by their fate and partitions") {
  const UnusedNodes unused = unused_nodes_of(
      saving_with(std::string(kSleeps) + "SuspendExcParts = keep\n"), {"n0", "n1", "n2", "n3"});
  CHECK(unused.origin == Origin::kGiven);
  CHECK(unused.groups.size() == 4);
  CHECK(text_of(fates_of(unused, 4, "slow")) == "they sleep after 900 s");
  CHECK(text_of(fates_of(unused, 4, "keep")) == "other jobs use them");
  CHECK(text_of(fates_of(unused, 4, "all")) ==
        "of 50 % other jobs use them, of 25 % they sleep after 900 s, of 25 % they sleep after 300 "
        "s");
}

TEST_CASE("a Slurm that says nothing of its nodes has one SuspendTime") {
  const PowerSaving saving = power_saving_of(doctor::SlurmSettings(kSleeps), "", "", expanded);
  CHECK(text_of(fates_of(unused_nodes_of(saving, {"n0", "n1"}), 2)) == "they sleep after 300 s");
}

}  // namespace
}  // namespace huddle::cli
