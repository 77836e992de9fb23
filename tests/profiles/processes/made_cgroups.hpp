#pragma once

// A /proc and the cgroups that Slurm makes for steps of job 17, in each of its layouts: so they are
// named by src/plugins/cgroup of Slurm 22.05 to 26.05.

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::processes {

struct CgroupLayout {
  const char* name;
  bool is_first_version;
  /// The path of the folder that has the jobs', and the name of that of job 17 in it.
  std::string jobs;
  std::string job;
};

inline const std::vector<CgroupLayout>& cgroup_layouts() {
  static const std::vector<CgroupLayout> layouts = {
      {"version 1", true, "/slurm_n1/uid_1000", "job_17"},
      {"version 2 with numbers", false, "/system.slice/slurmstepd.scope", "job_17"},
      {"version 2 with SLUIDs", false, "/system.slice/slurmstepd.scope", "sEKNKTV3WPV500"},
      {"version 2 in another slice", false, "/hpc.slice/hpc-slurm.slice/slurmstepd.scope",
       "sEKNKTV3WPV500"},
      {"version 2 with names of nodes", false, "/system.slice/n1_slurmstepd.scope", "job_17"}};
  return layouts;
}

class MadeCgroups {
 public:
  explicit MadeCgroups(CgroupLayout layout) : layout_(std::move(layout)) {
    std::string mounts = "21 20 0:20 / /proc rw shared:5 - proc proc rw\n";
    if (layout_.is_first_version)
      for (const char* controller : {"freezer", "cpuset", "cpuacct"})
        mounts += fmt::format("30 25 0:26 / {}/{} rw - cgroup cgroup rw,{}\n", groups().string(),
                              controller, controller);
    else
      mounts += fmt::format("31 25 0:27 / {} rw - cgroup2 cgroup2 rw\n", groups().string());
    put(proc() / "self/mountinfo", mounts);
  }

  /// The slurmstepd of a step, which has made the step's cgroups.
  void slurmstepd(std::uint32_t pid, const std::string& step) const {
    const std::string folder = of_job() + "/step_" + step;
    process(pid, 1, slurmstepd_places(step));
    put(proc() / std::to_string(pid) / "cmdline", fmt::format("slurmstepd: [17.{}]", step));
    put(proc() / std::to_string(pid) / "status", "Name:\tslurmstepd\nUid:\t0\t1000\t0\t1000\n");
    put(counting(folder + "/cgroup.procs"), "");
    if (layout_.is_first_version)
      put(groups() / ("cpuset" + of_job()) / "cpuset.cpus", "0-1\n");
    else
      put(counting(of_job() + "/cpuset.cpus.effective"), "0-1\n");
    if (!layout_.is_first_version)
      put(counting(folder + "/slurm/cgroup.procs"), fmt::format("{}\n", pid));
  }
  /// A task of a step; it is in the step's cgroup, whoever started it.
  void task(std::uint32_t pid, const std::string& step, std::uint32_t parent = 1) const {
    const std::string folder = of_job() + "/step_" + step;
    if (layout_.is_first_version) {
      process(pid, parent,
              fmt::format("6:freezer:{0}\n5:cpuset:{0}\n4:cpuacct:{0}/task_0\n", folder));
      return;
    }
    process(pid, parent, fmt::format("0::{}/user/task_0\n", folder));
    put(counting(folder + "/user/task_0/cgroup.procs"), fmt::format("{}\n", pid));
  }
  /// A process with these lines of /proc/PID/cgroup.
  void process(std::uint32_t pid, std::uint32_t parent, const std::string& places) const {
    const std::filesystem::path folder = proc() / std::to_string(pid);
    put(folder / "cgroup", places);
    put(folder / "stat", fmt::format("{} (a) b) S {} 1 1 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 {} 5 5\n",
                                     pid, parent, 1000 + pid));
  }
  void end(std::uint32_t pid) const { std::filesystem::remove_all(proc() / std::to_string(pid)); }

  /// The cgroups of version 1 that slurmstepd joins are the job's freezer, which is not to stop it,
  /// and the step's others, of which cpuacct is none.
  [[nodiscard]] std::string slurmstepd_places(const std::string& step) const {
    if (layout_.is_first_version)
      return fmt::format("6:freezer:{0}\n5:cpuset:{0}/step_{1}\n4:cpuacct:/system.slice\n0::/\n",
                         of_job(), step);
    return fmt::format("0::{}/step_{}/slurm\n", of_job(), step);
  }
  /// The path of the job's cgroup in its hierarchies.
  [[nodiscard]] std::string of_job() const { return layout_.jobs + "/" + layout_.job; }
  /// A path in the hierarchy that counts CPU time, as a folder.
  [[nodiscard]] std::filesystem::path counting(const std::string& path) const {
    return groups() / ((layout_.is_first_version ? "cpuacct" + path : path.substr(1)));
  }
  [[nodiscard]] std::filesystem::path proc() const { return scratch_.path() / "proc"; }
  [[nodiscard]] std::filesystem::path groups() const { return scratch_.path() / "cgroup"; }
  [[nodiscard]] const CgroupLayout& layout() const { return layout_; }

  static void put(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    store::put_file(file, text);
  }

 private:
  CgroupLayout layout_;
  store::TemporaryDirectory scratch_;
};

}  // namespace huddle::processes
