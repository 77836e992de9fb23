#include "spank_plugin/keeper/step_members.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "tests/profiles/processes/made_cgroups.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::keeper {
namespace {

/// A /proc in which slurmstepd is process 100.
struct MadeProc {
  void add(int pid, int parent) const {
    const auto folder = scratch.path() / std::to_string(pid);
    std::filesystem::create_directory(folder);
    std::ofstream stat(folder / "stat");
    stat << pid << " (a) b) S " << parent;
    for (int i = 0; i < 48; ++i) stat << " " << i;
  }
  [[nodiscard]] bool contains(pid_t pid) const {
    return StepMembers(1, 100, scratch.path()).contains(pid);
  }
  store::TemporaryDirectory scratch;
};

TEST_CASE("descendants of slurmstepd are of its step") {
  const MadeProc proc;
  proc.add(1, 0);
  proc.add(100, 1);
  proc.add(101, 100);
  proc.add(102, 101);
  proc.add(103, 102);
  proc.add(200, 1);
  proc.add(201, 200);
  CHECK(proc.contains(101));
  CHECK(proc.contains(103));
  for (const pid_t other : {100, 200, 201, 1, 0, -1, 999}) CHECK_FALSE(proc.contains(other));
}

TEST_CASE("processes in the step's cgroup are of it in all layouts, whoever their parent is") {
  for (const processes::CgroupLayout& layout : processes::cgroup_layouts()) {
    CAPTURE(layout.name);
    const processes::MadeCgroups made(layout);
    made.slurmstepd(100, "1");
    made.slurmstepd(200, "10");
    made.task(300, "1");
    made.task(301, "10");
    made.process(302, 1, layout.is_first_version ? "6:freezer:/\n0::/\n" : "0::/\n");
    made.process(303, 1, "6:freezer:" + made.of_job() + "\n0::" + made.of_job() + "\n");
    const StepMembers members(1, 100, made.proc());
    CHECK(members.contains(300));
    for (const pid_t other : {100, 200, 301, 302, 303, 999}) CHECK_FALSE(members.contains(other));
    CHECK(StepMembers(10, 200, made.proc()).contains(301));
  }
}

// In version 1 a step's cgroup belongs to its user, who may make more below it.
TEST_CASE("a user's cgroup with the name of another step makes no member of that") {
  const processes::MadeCgroups made(processes::cgroup_layouts()[0]);
  made.slurmstepd(100, "1");
  const std::string other = "/slurm_n1/uid_1000/job_16/step_1";
  made.process(
      300, 1, fmt::format("6:freezer:{0}{1}\n5:cpuset:{0}{1}\n", other, made.of_job() + "/step_1"));
  made.process(301, 1, fmt::format("6:freezer:{}/job_17/step_1\n", other));
  const StepMembers members(1, 100, made.proc());
  CHECK_FALSE(members.contains(300));
  CHECK_FALSE(members.contains(301));
}

TEST_CASE("where slurmstepd is in no cgroup of the step nobody is a member by cgroups") {
  const processes::MadeCgroups made(processes::cgroup_layouts()[1]);
  made.slurmstepd(100, "1");
  made.task(300, "1");
  for (const char* place : {"0::/\n", "0::/system.slice/slurmstepd.scope/system\n",
                            "0::/system.slice/slurmd.service\n"}) {
    made.process(100, 1, place);
    CHECK_FALSE(StepMembers(1, 100, made.proc()).contains(300));
  }
  made.end(100);
  CHECK_FALSE(StepMembers(1, 100, made.proc()).contains(300));
}

TEST_CASE("a loop of parents ends") {
  const MadeProc proc;
  proc.add(400, 401);
  proc.add(401, 400);
  CHECK_FALSE(proc.contains(400));
}

}  // namespace
}  // namespace huddle::keeper
