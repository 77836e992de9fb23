#include "profiles/hardware/attribution/job_cgroups.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>

#include "profiles/hardware/attribution/step_cpu_time.hpp"
#include "tests/profiles/processes/made_cgroups.hpp"
#include "tests/profiles/processes/real_cgroups.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;
using processes::cgroup_layouts;
using processes::CgroupLayout;
using processes::MadeCgroups;

// Processes of this user's, since a /proc of files knows no other: in version 1 a folder says who.
std::uint32_t user_in(const CgroupLayout& layout) {
  return layout.is_first_version ? 1000 : ::getuid();
}

TEST_CASE("an announced step's cgroup is found by its slurmstepd in all layouts") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    CAPTURE(layout.name);
    const MadeCgroups made(layout);
    made.slurmstepd(26, "0");
    made.slurmstepd(27, "batch");
    JobCgroups groups("/", made.proc());
    CHECK(groups.of_step({17, "0"}, 26) == made.counting(made.of_job() + "/step_0"));
    CHECK(groups.of_step({17, "batch"}, 27) == made.counting(made.of_job() + "/step_batch"));
  }
}

TEST_CASE("a step without a cgroup, or with none that counts yet, has none") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    CAPTURE(layout.name);
    const MadeCgroups made(layout);
    made.slurmstepd(26, "0");
    fs::remove_all(made.counting(layout.jobs));
    JobCgroups groups("/", made.proc());
    CHECK(groups.of_step({17, "0"}, 26).empty());
    made.process(26, 1, "6:freezer:/\n0::/system.slice/slurmstepd.scope/system\n");
    CHECK(groups.of_step({17, "0"}, 26).empty());
    CHECK(groups.of_step({17, "0"}, 99).empty());
    CHECK(groups.find_steps().empty());
  }
}

TEST_CASE("steps that nobody announced are found in all layouts") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    CAPTURE(layout.name);
    const MadeCgroups made(layout);
    made.slurmstepd(26, "0");
    made.slurmstepd(27, "batch");
    made.task(40, "0");
    JobCgroups groups("/", made.proc());
    const std::vector<FoundStep> steps = groups.find_steps();
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].id == StepId{17, "0"});
    CHECK(steps[0].place == StepPlace{user_in(layout), PuSet::parse("0-1")});
    CHECK(steps[0].cgroup == made.counting(made.of_job() + "/step_0"));
    CHECK(steps[1].id == StepId{17, "batch"});
    CHECK(groups.unnumbered_jobs().empty());
  }
}

TEST_CASE("trials have a root of their own") {
  const MadeCgroups made(cgroup_layouts()[2]);
  made.slurmstepd(26, "0");
  made.task(40, "0");
  const store::TemporaryDirectory root;
  const fs::path below = root.path() / made.groups().relative_path();
  fs::create_directories(below.parent_path());
  fs::rename(made.groups(), below);
  JobCgroups groups(root.path(), made.proc());
  const fs::path step = below / (made.of_job() + "/step_0").substr(1);
  REQUIRE(groups.find_steps().size() == 1);
  CHECK(groups.find_steps()[0].cgroup == step);
  CHECK(groups.of_step({17, "0"}, 26) == step);
}

// slurmstepd may be killed before its tasks.
TEST_CASE("a SLUID whose number was known keeps it, and one that nobody tells has none") {
  const MadeCgroups made(cgroup_layouts()[2]);
  made.slurmstepd(26, "0");
  made.task(40, "0");
  JobCgroups before("/", made.proc());
  CHECK(before.find_steps().size() == 1);
  JobCgroups announced("/", made.proc());
  announced.of_step({17, "0"}, 26);
  made.end(26);
  REQUIRE(before.find_steps().size() == 1);
  CHECK(before.find_steps()[0].id == StepId{17, "0"});
  REQUIRE(announced.find_steps().size() == 1);
  CHECK(announced.find_steps()[0].id == StepId{17, "0"});
  CHECK(announced.unnumbered_jobs().empty());

  JobCgroups later("/", made.proc());
  CHECK(later.find_steps().empty());
  CHECK(later.unnumbered_jobs() == std::set<fs::path>{made.counting(made.of_job())});
  fs::remove_all(made.counting(made.of_job()));
  CHECK(later.find_steps().empty());
  CHECK(later.unnumbered_jobs().empty());
}

TEST_CASE("a process that users named like a slurmstepd gives nobody another job") {
  const MadeCgroups made(cgroup_layouts()[2]);
  made.slurmstepd(26, "0");
  made.task(40, "0");
  MadeCgroups::put(made.proc() / "26/status", "Name:\ta\nUid:\t1000\t1000\t1000\t1000\n");
  JobCgroups groups("/", made.proc());
  CHECK(groups.find_steps().empty());
  CHECK(groups.unnumbered_jobs().size() == 1);
}

TEST_CASE("steps whose tasks are not there yet are left out, since nobody knows whose they are") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    if (layout.is_first_version) continue;
    CAPTURE(layout.name);
    const MadeCgroups made(layout);
    made.slurmstepd(26, "0");
    JobCgroups groups("/", made.proc());
    CHECK(groups.find_steps().empty());
    CHECK(groups.unnumbered_jobs().empty());
  }
}

TEST_CASE("folders that are no job's and scopes that are not Slurm's are passed over") {
  const MadeCgroups made(cgroup_layouts()[1]);
  made.slurmstepd(26, "0");
  made.task(40, "0");
  const std::string task = "/job_18/step_0/user/task_0/cgroup.procs";
  for (const char* other : {"/system.slice/other.scope", "/system.slice/slurmd.service",
                            "/user.slice/user@1000.service/slurmstepd.scope"})
    MadeCgroups::put(made.counting(other + task), "40\n");
  MadeCgroups::put(made.counting("/system.slice/slurmstepd.scope/system/cgroup.procs"), "40\n");
  JobCgroups groups("/", made.proc());
  CHECK(groups.find_steps().size() == 1);
}

TEST_CASE("folders that users may have made give nobody a job") {
  if (::geteuid() != 0) return;
  for (const CgroupLayout& layout : cgroup_layouts()) {
    CAPTURE(layout.name);
    const MadeCgroups made(layout);
    made.slurmstepd(26, "0");
    made.task(40, "0");
    JobCgroups groups("/", made.proc());
    CHECK(groups.find_steps().size() == 1);
    const fs::path job = made.counting(made.of_job());
    for (const fs::path& folder : {job, job.parent_path()}) {
      REQUIRE(::chown(folder.c_str(), 1000, 1000) == 0);
      CHECK(groups.find_steps().empty());
      REQUIRE(::chown(folder.c_str(), 0, 0) == 0);
    }
  }
}

TEST_CASE("root's processes beside the tasks are not taken for the user's") {
  if (::geteuid() != 0) return;
  const MadeCgroups made(cgroup_layouts()[1]);
  made.slurmstepd(25, "extern");
  made.slurmstepd(26, "0");
  made.task(40, "extern");
  JobCgroups groups("/", made.proc());
  CHECK(groups.find_steps().empty());  // nobody knows yet
  made.task(41, "0");
  REQUIRE(::chown((made.proc() / "41").c_str(), 1000, 1000) == 0);
  for (const FoundStep& step : groups.find_steps()) CHECK(step.place.user == 1000);
  CHECK(groups.find_steps().size() == 2);
}

TEST_CASE("what a step uses is counted in a real cgroup of version 2") {
  processes::RealStepCgroup real;
  if (!real.exists()) return;
  const pid_t slurmstepd = real.begin_called("slurmstepd: [17.0]", "slurm");
  constexpr double kWorks = 0.2;
  const pid_t task = real.begin("user/task_0", [] {
    while (static_cast<double>(std::clock()) < kWorks * CLOCKS_PER_SEC) continue;
  });
  const store::TemporaryDirectory proc;
  MadeCgroups::put(proc.path() / "self/mountinfo", real.mounts());
  for (const pid_t process : {slurmstepd, task})
    fs::create_directory_symlink(fmt::format("/proc/{}", process),
                                 proc.path() / std::to_string(process));
  JobCgroups announced("/", proc.path());
  const fs::path cgroup = announced.of_step({17, "0"}, static_cast<std::uint32_t>(slurmstepd));
  CHECK(cgroup == real.step());
  StepCpuTime time({0, cgroup, {}}, {PuSet{}});
  CHECK(time.look()[0] >= Seconds{0.9 * kWorks});

  const std::vector<FoundStep> steps = JobCgroups("/", proc.path()).find_steps();
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].id == StepId{17, "0"});
  CHECK(steps[0].cgroup == real.step());
}

}  // namespace
}  // namespace huddle::power
