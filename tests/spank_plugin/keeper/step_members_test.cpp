#include "spank_plugin/keeper/step_members.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::keeper {
namespace {

/// A /proc in which slurmstepd is process 100.
struct MadeProc {
  void add(int pid, int parent, const std::string& cgroup = "") const {
    const auto folder = scratch.path() / std::to_string(pid);
    std::filesystem::create_directory(folder);
    std::ofstream stat(folder / "stat");
    stat << pid << " (a) b) S " << parent;
    for (int i = 0; i < 48; ++i) stat << " " << i;
    std::ofstream(folder / "cgroup") << cgroup;
  }
  [[nodiscard]] bool contains(pid_t pid) const {
    return StepMembers(17, 1, 100, scratch.path()).contains(pid);
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

TEST_CASE("so is what is in a cgroup of the step, in both versions") {
  const MadeProc proc;
  proc.add(1, 0);
  proc.add(100, 1);
  proc.add(300, 1, "5:cpuset:/\n4:freezer:/slurm/uid_0/job_17/step_1/task_0\n0::/\n");
  proc.add(301, 1, "0::/system.slice/slurmstepd.scope/job_17/step_1\n");
  proc.add(302, 1, "0::/system.slice/slurmstepd.scope/job_17/step_10/user\n");
  proc.add(303, 1, "0::/system.slice/slurmstepd.scope/job_170/step_1\n");
  proc.add(304, 1, "0::/job_17/step_1");
  CHECK(proc.contains(300));
  CHECK(proc.contains(301));
  for (const pid_t other : {302, 303, 304}) CHECK_FALSE(proc.contains(other));
}

TEST_CASE("a loop of parents ends") {
  const MadeProc proc;
  proc.add(400, 401);
  proc.add(401, 400);
  CHECK_FALSE(proc.contains(400));
}

}  // namespace
}  // namespace huddle::keeper
