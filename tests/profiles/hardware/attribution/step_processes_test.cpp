#include <doctest/doctest.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "profiles/hardware/attribution/step_cpu_time.hpp"
#include "profiles/processes/process_identity.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;

void use_cpu(double seconds) {
  timespec now{};
  do {
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 < seconds);
}

// A process with children that work, one after the other, and that waits for them and then for its
// own end.
class Parent {
 public:
  explicit Parent(double seconds, int children = 1) {
    REQUIRE(::pipe(ends_) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      for (int i = 0; i < children; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
          use_cpu(seconds);
          ::_exit(0);
        }
        ::waitpid(child, nullptr, 0);
      }
      ::close(ends_[1]);
      for (;;) ::pause();
    }
    ::close(ends_[1]);
  }
  ~Parent() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(ends_[0]);
  }
  Parent(const Parent&) = delete;
  Parent& operator=(const Parent&) = delete;
  [[nodiscard]] std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  // Its children have all ended, and were waited for.
  [[nodiscard]] bool is_done() const {
    pollfd end{ends_[0], POLLIN, 0};
    return ::poll(&end, 1, 0) > 0;
  }

 private:
  pid_t pid_ = 0;
  int ends_[2] = {-1, -1};
};

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("huddle-cgroups-{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST_CASE("what a child used counts once, while it runs and after it was waited for") {
  constexpr double kWorks = 0.6;
  const Parent parent(kWorks);
  StepCpuTime time({parent.pid(), {}, {}}, {PuSet{}});
  double before = 0;
  for (int look = 0; look < 100; ++look) {
    const double now = time.look()[0].value;
    CHECK(now >= before);
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (now > kWorks - 0.03 && look > 40) break;
  }
  for (int look = 0; look < 3; ++look) time.look();
  CHECK(time.look()[0].value == doctest::Approx(kWorks).epsilon(0.1));
}

TEST_CASE("children that end while they are looked at count once") {
  constexpr double kWorks = 0.04;
  constexpr int kChildren = 30;
  const Parent parent(kWorks, kChildren);
  StepCpuTime time({parent.pid(), {}, {}}, {PuSet{}});
  while (!parent.is_done()) time.look();
  const double found = time.look()[0].value;
  const auto status = processes::status_of(parent.pid());
  REQUIRE(status);
  const double used = status->cpu_time.value + status->cpu_time_of_ended_children.value;
  CHECK(used > 0.9 * kWorks * kChildren);
  CHECK(std::abs(found - used) < 0.025);
}

TEST_CASE("of a step with very many processes those near slurmstepd count") {
  constexpr int kProcesses = 5000;
  const Folder proc;
  for (int pid = 1; pid <= kProcesses; ++pid) {  // each the only child of the one before
    const fs::path process = proc.path() / std::to_string(pid);
    // One second of the user's, if a second has 100 ticks.
    write(process / "stat",
          fmt::format("{} (sleep) S {} 1 1 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 {} 0 0 0 0 0 0 0 0 0 "
                      "0 0 0 0 0 0 17 0 0 0 0 0 0 0 0\n",
                      pid, pid - 1, pid));
    const fs::path children = process / "task" / std::to_string(pid) / "children";
    write(children, pid < kProcesses ? fmt::format("{} ", pid + 1) : "");
  }
  StepCpuTime time({1, {}, {}}, {PuSet{}}, proc.path());
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  CHECK(time.look()[0].value == doctest::Approx(4096 * 100 / ticks));
}

TEST_CASE("a step of which nothing can be found has used nothing") {
  StepCpuTime time({0, "/nonexistent", {}}, {PuSet{}, PuSet::parse("0")});
  CHECK(time.look() == std::vector<Seconds>{{0}, {0}});
}

TEST_CASE("cgroups of version 1 tell the time of each PU") {
  const Folder folder;
  write(folder.path() / "cpuacct.usage_percpu", "1000000000 0 3000000000 500000000 \n");
  StepCpuTime time({0, folder.path(), {}}, {PuSet::parse("0-1"), PuSet::parse("2-3")});
  CHECK(time.look() == std::vector<Seconds>{{1}, {3.5}});
  write(folder.path() / "cpuacct.usage_percpu", "1000000000 2000000000 3000000000 500000000 \n");
  CHECK(time.look() == std::vector<Seconds>{{3}, {3.5}});
}

TEST_CASE("cgroups of version 2 tell one sum, which is spread over the PUs of the job") {
  const Folder folder;
  write(folder.path() / "cpu.stat", "usage_usec 4000000\nuser_usec 3000000\n");
  StepCpuTime time({0, folder.path(), PuSet::parse("0-3")},
                   {PuSet::parse("0"), PuSet::parse("1-7")});
  CHECK(time.look() == std::vector<Seconds>{{1}, {3}});
}

}  // namespace
}  // namespace huddle::power
