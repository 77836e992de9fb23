#include "spank_plugin/clocks/step_tasks.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::clocks {
namespace {

namespace fs = std::filesystem;

void put_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

/// A /proc with the slurmstepd 26 of two threads.
struct FakeProc {
  FakeProc() {
    process(26, 'S', 1);
    children("");
    put_text(proc() / "26/task/28/children", "");
  }
  [[nodiscard]] fs::path proc() const { return directory.path() / "proc"; }
  void process(int pid, char state, int parent, const std::string& cgroup = "0::/\n") const {
    put_text(proc() / std::to_string(pid) / "stat",
             fmt::format("{} (a) name)) {} {} 1 1 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 {} 5 5\n", pid,
                         state, parent, 1000 + pid));
    put_text(proc() / std::to_string(pid) / "cgroup", cgroup);
  }
  void children(const std::string& pids) const { put_text(proc() / "26/task/26/children", pids); }
  void end(int pid) const { fs::remove_all(proc() / std::to_string(pid)); }

  store::TemporaryDirectory directory;
};

TEST_CASE("a step starts, runs while one task does, and ends with the last") {
  const FakeProc fake;
  StepTasks tasks(26, fake.proc());
  CHECK(tasks.look() == StepActivity::kStarting);
  fake.process(39, 'S', 26);
  fake.process(40, 'R', 26);
  fake.children("39 40 ");
  CHECK(tasks.look() == StepActivity::kRunning);
  CHECK(tasks.witness() == 39U);
  fake.process(39, 'Z', 26);
  CHECK(tasks.look() == StepActivity::kRunning);
  CHECK(tasks.witness() == 40U);
  fake.end(40);
  CHECK(tasks.look() == StepActivity::kEnded);
  CHECK_FALSE(tasks.witness().has_value());
}

TEST_CASE("a step is stopped when all its tasks are") {
  const FakeProc fake;
  StepTasks tasks(26, fake.proc());
  fake.process(39, 'T', 26);
  fake.process(40, 'D', 26);
  fake.children("39 40 ");
  CHECK(tasks.look() == StepActivity::kRunning);
  fake.process(40, 'T', 26);
  CHECK(tasks.look() == StepActivity::kStopped);
  fake.process(39, 't', 26);  // by a debugger
  CHECK(tasks.look() == StepActivity::kRunning);
}

TEST_CASE("another process that got a task's number is none of the step's") {
  const FakeProc fake;
  StepTasks tasks(26, fake.proc());
  fake.process(39, 'S', 26);
  fake.children("39 ");
  CHECK(tasks.look() == StepActivity::kRunning);
  fake.process(39, 'S', 1);
  fake.children("");
  CHECK(tasks.look() == StepActivity::kEnded);
}

TEST_CASE("a kernel without lists of children is looked through") {
  const FakeProc fake;
  fs::remove_all(fake.proc() / "26/task");
  fake.process(39, 'S', 26);
  fake.process(41, 'S', 39);
  StepTasks tasks(26, fake.proc());
  CHECK(tasks.look() == StepActivity::kRunning);
  fake.process(39, 'T', 26);
  CHECK(tasks.look() == StepActivity::kStopped);
}

TEST_CASE("frozen tasks are stopped, in both versions of cgroups") {
  const FakeProc fake;
  const fs::path groups = fake.directory.path() / "cgroup";
  put_text(fake.proc() / "self/mountinfo",
           fmt::format("30 25 0:26 / {0}/freezer rw shared:5 - cgroup cgroup rw,freezer\n"
                       "31 25 0:27 / {0}/unified rw - cgroup2 cgroup2 rw\n"
                       "32 25 0:28 / /proc rw - proc proc rw\n",
                       groups.string()));
  fake.children("39 ");
  const fs::path first = groups / "freezer/slurm/job_17/step_0/freezer.state";
  const fs::path second = groups / "unified/job_17/step_0/user/cgroup.events";
  put_text(first, "THAWED\n");
  put_text(second, "populated 1\nfrozen 0\n");
  fake.process(39, 'D', 26, "6:freezer:/slurm/job_17/step_0\n0::/job_17/step_0/user\n");
  StepTasks tasks(26, fake.proc());
  CHECK(tasks.look() == StepActivity::kRunning);
  put_text(first, "FROZEN\n");
  CHECK(tasks.look() == StepActivity::kStopped);
  put_text(first, "THAWED\n");
  CHECK(tasks.look() == StepActivity::kRunning);
  put_text(second, "populated 1\nfrozen 1\n");
  CHECK(tasks.look() == StepActivity::kStopped);
}

TEST_CASE("children of this process are seen as they are") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  StepTasks tasks(static_cast<std::uint32_t>(::getpid()));
  CHECK(tasks.look() == StepActivity::kRunning);
  ::kill(child, SIGSTOP);
  int status = 0;
  ::waitpid(child, &status, WUNTRACED);
  CHECK(tasks.look() == StepActivity::kStopped);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(tasks.look() == StepActivity::kEnded);
}

}  // namespace
}  // namespace huddle::clocks
