#include "spank_plugin/runtime/wait_policy/wait_policy.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace huddle::runtime {
namespace {

// The facts that are known of a rank that is started with this environment.
RankThreads told_by(const std::map<std::string, std::string>& environment) {
  return rank_threads([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

// A rank of two on eight CPUs of its own, which asks for the wait policy, on a quiet node of 16.
RankThreads roomy_rank() {
  RankThreads threads;
  threads.wanted = true;
  threads.team = 8;
  threads.cpus = 8;
  threads.ranks_here = 2;
  threads.cpus_here = 16;
  threads.use.online = 1600;
  return threads;
}

std::string spins_of(const RankThreads& threads) {
  const WaitPolicy policy = wait_policy_for(threads);
  CHECK((policy.spins == nullptr) == (policy.block_milliseconds == nullptr));
  return policy.spins == nullptr ? "none" : policy.spins;
}

}  // namespace

TEST_CASE("who waits on a CPU of its own looks for a while, who shares one sleeps at once") {
  RankThreads threads = roomy_rank();
  CHECK(spins_of(threads) == "50000");
  threads.team = 9;  // on its own eight
  CHECK(spins_of(threads) == "1");
  threads.team = 8;
  threads.ranks_here = 3;  // on the node's 16
  CHECK(spins_of(threads) == "1");
}

TEST_CASE("a team whose size is not said has a thread for each CPU of its rank") {
  RankThreads threads = roomy_rank();
  threads.team = 0;
  CHECK(cpu_sharing(threads) == CpuSharing::kOwn);
  threads.cpus = 16;  // both ranks may run anywhere
  CHECK(cpu_sharing(threads) == CpuSharing::kShared);
}

TEST_CASE("where it is not known who uses the CPUs, the runtime waits as it is") {
  RankThreads threads = roomy_rank();
  threads.use.online = 0;
  CHECK(spins_of(threads) == "none");
  threads = roomy_rank();
  threads.cpus = 0;
  threads.cpus_here = 0;
  CHECK(spins_of(threads) == "none");
  threads.team = 0;
  threads.cpus_here = 16;
  CHECK(spins_of(threads) == "none");
  threads = roomy_rank();
  threads.ranks_here = 0;
  CHECK(spins_of(threads) == "none");
}

TEST_CASE("a node that others have filled for minutes, and do now, is shared") {
  RankThreads threads = roomy_rank();
  threads.use.load_1 = threads.use.load_5 = 400;
  threads.use.running = 600;  // two of which are ranks of this program
  CHECK(spins_of(threads) == "1");
  threads.use.online = 2000;  // four more: room for the others
  CHECK(spins_of(threads) == "50000");
}

TEST_CASE("of a full node a job has a part of, it is not known who fills which") {
  RankThreads threads = roomy_rank();
  threads.use.online = 3200;
  threads.use.load_1 = threads.use.load_5 = threads.use.running = 3000;  // on the other half
  CHECK(cpu_sharing(threads) == CpuSharing::kUnknown);
}

TEST_CASE("figures on others that disagree, as behind another step, leave it unknown") {
  RankThreads threads = roomy_rank();
  threads.use.load_1 = 1400;  // what the step before left
  CHECK(cpu_sharing(threads) == CpuSharing::kUnknown);
  threads.use.load_1 = 30;  // daemons
  CHECK(cpu_sharing(threads) == CpuSharing::kOwn);
  threads.use.running = 1200;  // just now
  CHECK(cpu_sharing(threads) == CpuSharing::kUnknown);
  threads.use.load_1 = 1200;
  CHECK(cpu_sharing(threads) == CpuSharing::kUnknown);
  threads.use.load_5 = 1200;
  CHECK(cpu_sharing(threads) == CpuSharing::kShared);
}

TEST_CASE("where a hypervisor takes CPUs away, nobody has one for itself") {
  RankThreads threads = roomy_rank();
  threads.use.stolen = 10;
  CHECK(cpu_sharing(threads) == CpuSharing::kOwn);
  threads.use.stolen = 11;
  CHECK(cpu_sharing(threads) == CpuSharing::kUnknown);
}

TEST_CASE("a limit below a CPU for each thread counts as sharing, whatever the load") {
  RankThreads threads = roomy_rank();
  threads.use.quota = 1600;
  CHECK(cpu_sharing(threads) == CpuSharing::kOwn);
  threads.use.quota = 1599;
  CHECK(cpu_sharing(threads) == CpuSharing::kShared);
  threads.use.online = 0;
  CHECK(cpu_sharing(threads) == CpuSharing::kShared);
}

TEST_CASE("threads that may be packed sleep soon, however much room there is") {
  RankThreads threads = roomy_rank();
  threads.may_be_packed = true;
  CHECK(spins_of(threads) == "300");
  CHECK(std::string(wait_policy_for(threads).block_milliseconds) == "0");
}

TEST_CASE("nothing is set where nobody asks for it") {
  CHECK(spins_of({}) == "none");
  CHECK(spins_of(told_by({{"OMP_NUM_THREADS", "2"}})) == "none");
  CHECK(spins_of(told_by({{"HUDDLE_THREADS", "keep"}})) == "none");
  CHECK(spins_of(told_by({{"HUDDLE_THREADS", ""}})) == "none");
  CHECK(spins_of(told_by({{"HUDDLE_THREADS", "pack"}})) == "300");
}

TEST_CASE(
    "each of the variables by which users say how threads wait is obeyed, also if it is empty") {
  for (const char* name : kWaitVariables)
    for (const char* value : {"0", "active", ""})
      CHECK(spins_of(told_by({{"HUDDLE_THREADS", "pack"}, {name, value}})) == "none");
}

TEST_CASE("teams, ranks and CPUs are read from the environment of a rank") {
  const RankThreads threads = told_by({{"HUDDLE_THREADS", "auto"},
                                       {"OMP_NUM_THREADS", "3,2"},
                                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                       {"SLURM_CPUS_ON_NODE", "1"}});
  CHECK(threads.team == 3);
  CHECK(threads.ranks_here == 4);
  CHECK(threads.cpus > 0);
  CHECK(threads.cpus_here == 1);
  CHECK(is_crowded(threads));
  CHECK(threads.use.online > 0);
  CHECK(told_by({{"HUDDLE_THREADS", "auto"}, {"OMP_WAIT_POLICY", "passive"}}).use.online == 0);
  CHECK(told_by({{"MPI_LOCALNRANKS", "7"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}).ranks_here == 7);
  CHECK(told_by({{"SLURM_CPUS_ON_NODE", "4000000"}}).cpus_here == cpus_of_node());
}

TEST_CASE("a number that is none counts as not said") {
  for (const char* text : {"", "x", "-1", "4x", "99999999999", " 4"})
    CHECK(first_number(text) == 0);
  CHECK(first_number("4") == 4);
  CHECK(first_number("4,") == 4);
}

TEST_CASE("only pairs of values that are ours count as set by us") {
  CHECK(is_from_huddle("300", "0"));
  CHECK(is_from_huddle("1", "0"));
  CHECK_FALSE(is_from_huddle("0", "0"));  // a user's
  CHECK(is_from_huddle("50000", "2"));
  CHECK_FALSE(is_from_huddle("300", "2"));
  CHECK_FALSE(is_from_huddle("", ""));
}

}  // namespace huddle::runtime
