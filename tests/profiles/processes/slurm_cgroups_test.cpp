#include "profiles/processes/slurm_cgroups.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/profiles/processes/made_cgroups.hpp"

namespace huddle::processes {
namespace {

TEST_CASE("folders of steps and of jobs are told from others") {
  CHECK(step_of_folder("step_0") == "0");
  CHECK(step_of_folder("step_batch") == "batch");
  CHECK(step_of_folder("step_0+1") == "0+1");  // of a heterogeneous job
  for (const char* other : {"step_", "step_0.slice", "task_0", "job_17", "system", "", "astep_0"})
    CHECK_FALSE(step_of_folder(other));
  CHECK(job_of_folder("job_17") == 17U);
  for (const char* other : {"job_", "job_17x", "job_99999999999", "sEKNKTV3WPV500", "uid_0"})
    CHECK_FALSE(job_of_folder(other));
}

TEST_CASE("a path is of a job in all layouts") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    CAPTURE(layout.name);
    CHECK(is_of_a_job(layout.jobs + "/" + layout.job + "/step_0"));
    CHECK(is_of_a_job(layout.jobs + "/" + layout.job + "/step_extern/user/task_special"));
    CHECK_FALSE(is_of_a_job(layout.jobs + "/system"));
    CHECK_FALSE(is_of_a_job(layout.jobs));
  }
  CHECK(is_of_a_job("/slurm/uid_1000/job_17"));
  for (const char* other : {"/", "", "/system.slice/slurmd.service", "/job_x.slice/step_0.scope"})
    CHECK_FALSE(is_of_a_job(other));
}

TEST_CASE("a step's cgroup is where its slurmstepd is") {
  for (const CgroupLayout& layout : cgroup_layouts()) {
    CAPTURE(layout.name);
    const std::string group = layout.jobs + "/" + layout.job + "/step_0";
    CHECK(step_group(group, "0") == group);
    CHECK(step_group(group + "/slurm", "0") == group);
  }
  // The freezer of version 1, which is not to stop slurmstepd.
  CHECK(step_group("/slurm/uid_1000/job_17", "batch") == "/slurm/uid_1000/job_17/step_batch");
}

TEST_CASE("a slurmstepd that is in no step's cgroup has none") {
  for (const char* place : {"/", "", "/system.slice/slurmd.service", "/user.slice",
                            "/system.slice/slurmstepd.scope/system"})
    CHECK(step_group(place, "0").empty());
}

TEST_CASE("a path is within a group only with whole names") {
  CHECK(is_within("/a/step_1", "/a/step_1"));
  CHECK(is_within("/a/step_1/user", "/a/step_1"));
  CHECK_FALSE(is_within("/a/step_10", "/a/step_1"));
  CHECK_FALSE(is_within("/a", "/a/step_1"));
  CHECK_FALSE(is_within("/b/a/step_1", "/a/step_1"));
}

struct NamedProcess {
  NamedProcess(const std::string& title, const std::string& users = "0\t1000\t0\t1000") {
    MadeCgroups::put(scratch.path() / "26/cmdline", title);
    MadeCgroups::put(scratch.path() / "26/status", "Name:\ta\nUid:\t" + users + "\nGid:\t0\t0\n");
  }
  [[nodiscard]] std::optional<std::uint32_t> job(const char* step) const {
    return job_of_slurmstepd(26, step, scratch.path());
  }
  store::TemporaryDirectory scratch;
};

TEST_CASE("a slurmstepd says which job it serves") {
  CHECK(NamedProcess("slurmstepd: [17.0]").job("0") == 17U);
  CHECK(NamedProcess(std::string("slurmstepd: [17.batch]\0\0\0", 25)).job("batch") == 17U);
  CHECK(NamedProcess("slurmstepd: [17.0+1]").job("0+1") == 17U);
  CHECK(NamedProcess("slurmstepd: [17.extern stepmgr]").job("extern") == 17U);
}

TEST_CASE("nobody is believed who is not root's, or serves another step") {
  CHECK_FALSE(NamedProcess("slurmstepd: [17.0]", "1000\t1000\t1000\t1000").job("0"));
  CHECK_FALSE(NamedProcess("slurmstepd: [17.0]", "1000\t0\t0\t0").job("0"));  // a setuid program
  CHECK_FALSE(NamedProcess("slurmstepd: [17.1]").job("0"));
  CHECK_FALSE(NamedProcess("slurmstepd: [17.01]").job("0"));
  for (const char* title : {"", "slurmstepd", "slurmstepd: [", "slurmstepd: [.0]", "sleep 100",
                            "slurmstepd: [sEKNKTV3WPV500.0]", "slurmstepd infinity"})
    CHECK_FALSE(NamedProcess(title).job("0"));
  const store::TemporaryDirectory empty;
  CHECK_FALSE(job_of_slurmstepd(26, "0", empty.path()));
}

}  // namespace
}  // namespace huddle::processes
