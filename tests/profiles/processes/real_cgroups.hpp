#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiles/processes/cgroups.hpp"

namespace huddle::processes {

/// Cgroups of a step in the kernel's own hierarchy of version 2, named by a SLUID, in a folder that
/// is this test's and no slice, so that nobody else on this machine takes it for Slurm's. Where
/// this process may make none, exists() is false.
class RealStepCgroup {
 public:
  RealStepCgroup() {
    const auto top = Cgroups().top_of("");
    if (::geteuid() != 0 || !top) return;
    place_ = *top / fmt::format("huddle-test-{}", ::getpid());
    std::error_code failure;
    for (const char* leaf : {"slurm", "user/task_0"}) {
      std::filesystem::create_directories(step() / leaf, failure);
      exists_ = !failure;
    }
  }
  ~RealStepCgroup() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    for (std::filesystem::path group : {step() / "slurm", step() / "user/task_0"})
      for (; exists_ && group != place_.parent_path(); group = group.parent_path())
        ::rmdir(group.c_str());
  }
  RealStepCgroup(const RealStepCgroup&) = delete;
  RealStepCgroup& operator=(const RealStepCgroup&) = delete;

  /// Runs `act` in a child in a folder of the step, and then lets that wait.
  template <class Act>
  pid_t begin(const char* folder, Act act) {
    int ready[2] = {-1, -1};
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      set(std::string(folder) + "/cgroup.procs", "0");
      act();
      ::close(ready[0]);
      ::close(ready[1]);
      for (;;) ::pause();
    }
    children_.push_back(child);
    ::close(ready[1]);
    char none = 0;
    CHECK(::read(ready[0], &none, 1) == 0);  // the child closed it
    ::close(ready[0]);
    return child;
  }
  /// Starts a process that calls itself what `title` says, in a folder of the step.
  pid_t begin_called(const std::string& title, const char* folder) {
    std::array<std::string, 2> words = {title, "600"};
    std::array<char*, 3> arguments = {words[0].data(), words[1].data(), nullptr};
    pid_t child = 0;
    REQUIRE(::posix_spawnp(&child, "sleep", nullptr, nullptr, arguments.data(), environ) == 0);
    children_.push_back(child);
    set(std::string(folder) + "/cgroup.procs", std::to_string(child));
    return child;
  }
  void set(const std::string& file, const std::string& value) const {
    std::ofstream(step() / file) << value << std::flush;
  }
  [[nodiscard]] std::filesystem::path step() const {
    return place_ / "hpc.slice/n1_slurmstepd.scope/sEKNKTV3WPV500/step_0";
  }
  /// Lines of mountinfo as in a container that sees this test's folder alone.
  [[nodiscard]] std::string mounts() const {
    return fmt::format("30 25 0:26 /{} {} rw - cgroup2 cgroup2 rw\n", place_.filename().string(),
                       place_.string());
  }
  [[nodiscard]] bool exists() const { return exists_; }

 private:
  std::filesystem::path place_;
  std::vector<pid_t> children_;
  bool exists_ = false;
};

}  // namespace huddle::processes
