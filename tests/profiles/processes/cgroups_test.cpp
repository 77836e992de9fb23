#include "profiles/processes/cgroups.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <thread>

#include "tests/profiles/processes/made_cgroups.hpp"
#include "tests/profiles/processes/real_cgroups.hpp"

namespace huddle::processes {
namespace {

namespace fs = std::filesystem;

std::string mount_line(const fs::path& place, const std::string& controllers,
                       const std::string& root = "/") {
  const bool second = controllers.empty();
  return fmt::format("30 25 0:26 {} {} rw - {} x rw{}\n", root, place.string(),
                     second ? "cgroup2" : "cgroup", second ? "" : "," + controllers);
}

TEST_CASE("the cgroups of a process are told for each hierarchy") {
  const store::TemporaryDirectory proc;
  MadeCgroups::put(proc.path() / "7/cgroup",
                   "6:cpu,cpuacct:/slurm/uid_0/job_17\n1:name=systemd:/a:b\n0::/c\n");
  const auto places = cgroups_of("7", proc.path());
  REQUIRE(places.size() == 3);
  CHECK(places[0].controllers == "cpu,cpuacct");
  CHECK(places[0].path == "/slurm/uid_0/job_17");
  CHECK(places[1].controllers == "name=systemd");
  CHECK(places[1].path == "/a:b");
  CHECK(places[2].controllers.empty());
  CHECK(places[2].path == "/c");
  CHECK(cgroups_of("8", proc.path()).empty());
}

TEST_CASE("the folder of a cgroup is where its hierarchy is mounted") {
  const store::TemporaryDirectory proc;
  MadeCgroups::put(proc.path() / "self/mountinfo",
                   mount_line("/g/cpu,cpuacct", "cpu,cpuacct") + mount_line("/g/unified", ""));
  const Cgroups groups(proc.path());
  CHECK(groups.folder_of("cpuacct", "/a") == "/g/cpu,cpuacct/a");
  CHECK(groups.folder_of("cpu,cpuacct", "/a") == "/g/cpu,cpuacct/a");
  CHECK(groups.folder_of("", "/a/b") == "/g/unified/a/b");
  CHECK(groups.folder_of("", "/") == "/g/unified");
  CHECK(groups.top_of("") == "/g/unified");
  CHECK(groups.top_of("cpuacct") == "/g/cpu,cpuacct");
  CHECK_FALSE(groups.top_of("freezer"));
  CHECK_FALSE(groups.folder_of("freezer", "/a"));
  CHECK_FALSE(groups.folder_of("", "/../a"));  // outside of this process's namespace
}

TEST_CASE("a container that sees a part of a hierarchy finds its cgroups in that part") {
  const store::TemporaryDirectory proc;
  MadeCgroups::put(proc.path() / "self/mountinfo", mount_line("/g", "", "/docker/4711"));
  const Cgroups groups(proc.path());
  CHECK(groups.folder_of("", "/docker/4711/a") == "/g/a");
  CHECK(groups.top_of("") == "/g");
  CHECK_FALSE(groups.folder_of("", "/docker/47110/a"));
  CHECK_FALSE(groups.folder_of("", "/a"));
}

TEST_CASE("a process leaves the cgroups of jobs and no other") {
  const store::TemporaryDirectory scratch;
  const fs::path groups = scratch.path() / "cgroup";
  std::string mounts = mount_line(groups / "unified", "");
  for (const char* controller : {"freezer", "memory", "cpuset"})
    mounts += mount_line(groups / controller, controller);
  MadeCgroups::put(scratch.path() / "self/mountinfo", mounts);
  for (const char* group : {"freezer", "memory", "unified"})
    MadeCgroups::put(groups / group / "cgroup.procs", "");
  MadeCgroups::put(scratch.path() / "self/cgroup",
                   "6:freezer:/slurm/uid_0/job_17\n4:memory:/system.slice/slurmd.service\n"
                   "3:cpuset:/slurm/uid_0/job_17/step_0\n"
                   "0::/system.slice/slurmstepd.scope/sEKNKTV3WPV500/step_0/slurm\n");
  const auto kept = Cgroups(scratch.path()).leave_those_of_jobs();
  CHECK(fs::file_size(groups / "freezer/cgroup.procs") == 1);
  CHECK(fs::file_size(groups / "memory/cgroup.procs") == 0);
  CHECK(fs::file_size(groups / "unified/cgroup.procs") == 1);
  REQUIRE(kept.size() == 1);  // what can't be left is reported
  CHECK(kept[0].ends_with("cpuset/slurm/uid_0/job_17/step_0"));
}

TEST_CASE("a process leaves a job's cgroup in all layouts") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    CAPTURE(layout.name);
    const MadeCgroups made(layout);
    MadeCgroups::put(made.proc() / "self/cgroup", made.slurmstepd_places("0"));
    const fs::path top = layout.is_first_version ? made.groups() / "cpuset" : made.groups();
    for (const fs::path& group : {made.groups() / "freezer", top})
      MadeCgroups::put(group / "cgroup.procs", "");
    CHECK(Cgroups(made.proc()).leave_those_of_jobs().empty());
    CHECK(fs::file_size(top / "cgroup.procs") == 1);
  }
}

TEST_CASE("where the top takes no process it joins slurmstepds without a job") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    if (layout.is_first_version) continue;
    CAPTURE(layout.name);
    const MadeCgroups made(layout);
    MadeCgroups::put(made.proc() / "self/cgroup", made.slurmstepd_places("0"));
    const fs::path waiting = made.counting(layout.jobs + "/system/cgroup.procs");
    MadeCgroups::put(waiting, "");
    CHECK(Cgroups(made.proc()).leave_those_of_jobs().empty());
    CHECK(fs::file_size(waiting) == 1);
  }
}

std::string second_version_place(pid_t process) {
  for (const CgroupPlace& place : cgroups_of(std::to_string(process)))
    if (place.controllers.empty()) return place.path;
  return {};
}

TEST_CASE("a process leaves a real cgroup of version 2") {
  RealStepCgroup step;
  if (!step.exists()) return;
  const pid_t left = step.begin("slurm", [] { (void)Cgroups().leave_those_of_jobs(); });
  CHECK(second_version_place(left) == "/");
}

TEST_CASE("a process in a real cgroup of version 2 is seen frozen, and thawed") {
  RealStepCgroup step;
  if (!step.exists()) return;
  const pid_t child = step.begin("user/task_0", [] {});
  CHECK(second_version_place(child).ends_with("/sEKNKTV3WPV500/step_0/user/task_0"));
  const Cgroups groups;
  const auto becomes = [&](bool frozen) {
    for (int i = 0; i < 10000 && groups.is_frozen(static_cast<std::uint32_t>(child)) != frozen; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return groups.is_frozen(static_cast<std::uint32_t>(child)) == frozen;
  };
  CHECK_FALSE(groups.is_frozen(static_cast<std::uint32_t>(child)));
  step.set("user/cgroup.freeze", "1");
  CHECK(becomes(true));
  step.set("user/cgroup.freeze", "0");
  CHECK(becomes(false));
}

}  // namespace
}  // namespace huddle::processes
