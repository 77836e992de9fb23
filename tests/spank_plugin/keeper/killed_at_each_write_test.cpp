// Whoever is killed while the keeper is at a write to a clock's file: in the end clocks are as
// before, and no clock of somebody else was written to. The keeper is a process of its own that
// this one stops at the n-th write, before the kernel does it and afterwards.

#include <doctest/doctest.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <tuple>

#include "spank_plugin/frequency/frequency_control.hpp"
#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {
namespace {

namespace fs = std::filesystem;

/// A process that only waits to be killed.
class IdleProcess {
 public:
  IdleProcess() : pid_(::fork()) {
    if (pid_ == 0)
      for (;;) ::pause();
  }
  ~IdleProcess() { kill(); }
  IdleProcess(const IdleProcess&) = delete;
  IdleProcess& operator=(const IdleProcess&) = delete;

  [[nodiscard]] processes::ProcessIdentity identity() const {
    return processes::identity_of(static_cast<std::uint32_t>(pid_)).value();
  }
  [[nodiscard]] files::OwnedDescriptor descriptor() const {
    return files::OwnedDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_;
};

/// A sysfs of files with four clocks: two of the step with a keeper, one of another step, and one
/// of nobody.
struct FourClocks {
  FourClocks() {
    for (std::uint32_t policy = 0; policy < 4; ++policy) {
      const fs::path folder = cpufreq() / fmt::format("policy{}", policy);
      fs::create_directories(folder);
      for (const auto& [name, value] : std::map<std::string, std::string>{
               {"affected_cpus", std::to_string(policy)},
               {"scaling_driver", "intel_cpufreq"},
               {"cpuinfo_min_freq", "1000000"},
               {"cpuinfo_max_freq", "3000000"},
               {"scaling_min_freq", "1000000"},
               {"scaling_max_freq", "3000000"},
               {"scaling_cur_freq", "2000000"},
               {"scaling_governor", "schedutil"},
               {"scaling_available_governors", "performance schedutil"}})
        store::put_file(folder / name, value + "\n");
    }
  }

  [[nodiscard]] fs::path cpufreq() const { return scratch.path() / "devices/system/cpu/cpufreq"; }
  [[nodiscard]] fs::path most(std::uint32_t policy) const {
    return cpufreq() / fmt::format("policy{}/scaling_max_freq", policy);
  }
  [[nodiscard]] std::uint32_t khz(std::uint32_t policy) const {
    const std::string text = store::get_file(most(policy));
    return frequency::parse_khz(std::string_view(text).substr(0, text.find('\n'))).value_or(0);
  }
  /// The contents of all files, numbers as Linux shows them: without what an older, longer one
  /// left.
  [[nodiscard]] std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(cpufreq()))
      if (entry.is_regular_file()) {
        const std::string text = store::get_file(entry.path());
        files[entry.path().string()] = text.substr(0, text.find('\n'));
      }
    return files;
  }
  /// When the files of the clocks that are not the step's were last written to.
  [[nodiscard]] std::map<std::string, std::tuple<ino_t, time_t, long>> writes_to_others() const {
    std::map<std::string, std::tuple<ino_t, time_t, long>> times;
    for (const char* policy : {"policy2", "policy3"})
      for (const auto& entry : fs::directory_iterator(cpufreq() / policy)) {
        struct stat status {};
        REQUIRE(::stat(entry.path().c_str(), &status) == 0);
        times[entry.path().string()] = {status.st_ino, status.st_mtim.tv_sec,
                                        status.st_mtim.tv_nsec};
      }
    return times;
  }
  [[nodiscard]] fs::path journal() const { return scratch.path() / "journal"; }

  frequency::FrequencyReport sweep() {
    frequency::SysfsCpufreq files(scratch.path());
    return frequency::FrequencyControl(files, settings()).sweep();
  }
  frequency::FrequencyReport claim(const frequency::Claim& claim) {
    frequency::SysfsCpufreq files(scratch.path());
    return frequency::FrequencyControl(files, settings()).claim(claim, PuSet::parse("0-3"));
  }

  store::TemporaryDirectory scratch;

 private:
  [[nodiscard]] frequency::FrequencyControl::Settings settings() const {
    frequency::FrequencyControl::Settings settings;
    settings.journal_directory = journal();
    settings.lock_patience = std::chrono::seconds(5);
    return settings;
  }
};

enum class Moment { kBefore, kAfter };

/// A process that runs keep_clocks(), and that this one can stop at any of its writes.
class StoppedKeeper {
 public:
  StoppedKeeper(const FourClocks& node, int listening, int watcher) {
    if (::pipe2(control_.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
    pid_ = ::fork();
    if (pid_ == 0) run(node, listening, watcher);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    traced_ = WIFSTOPPED(status);
    if (traced_)
      traced_ = ::ptrace(PTRACE_SETOPTIONS, pid_, nullptr,
                         PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0;
  }
  ~StoppedKeeper() {
    if (pid_ > 0) kill();
    ::close(control_[0]);
    ::close(control_[1]);
  }
  StoppedKeeper(const StoppedKeeper&) = delete;
  StoppedKeeper& operator=(const StoppedKeeper&) = delete;

  [[nodiscard]] bool is_traced() const { return traced_; }
  [[nodiscard]] processes::ProcessIdentity identity() const {
    return processes::identity_of(static_cast<std::uint32_t>(pid_)).value();
  }

  /// Lets it go on to its n-th write from now on, and stop there. False if it ended.
  bool go_to_write(int n, Moment moment) {
    int writes = 0;
    for (;;) {
      const auto stop = next_stop();
      if (!stop) return false;
      if (stop->op == PTRACE_SYSCALL_INFO_ENTRY && stop->entry.nr == SYS_pwrite64) {
        if (++writes < n) continue;
        return moment == Moment::kBefore || next_stop().has_value();
      }
    }
  }
  /// Lets it go on, and returns its exit status; -1 if it was killed.
  int run_to_its_end() {
    ::ptrace(PTRACE_DETACH, pid_, nullptr, 0);
    return reap();
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    reap();
  }
  int reap() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::optional<__ptrace_syscall_info> next_stop() {
    int signal = 0;
    for (;;) {
      int status = 0;
      if (::ptrace(PTRACE_SYSCALL, pid_, nullptr, signal) != 0) return std::nullopt;
      if (::waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status)) return std::nullopt;
      signal = WSTOPSIG(status);
      if (signal != (SIGTRAP | 0x80)) continue;
      __ptrace_syscall_info info{};
      if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info) <= 0) return std::nullopt;
      return info;
    }
  }

  [[noreturn]] void run(const FourClocks& node, int listening, int watcher) {
    ::close(control_[1]);
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    int result = 3;
    try {
      const ClockEnvelope envelope({{0, PuSet::parse("0"), {kLeastKhz, kTopKhz}, {}},
                                    {1, PuSet::parse("1"), {kLeastKhz, kTopKhz}, {}}},
                                   node.scratch.path());
      KeeperSettings settings;
      settings.user = ::geteuid();
      settings.is_member = [](pid_t) { return true; };
      result = keep_clocks(envelope, settings, listening, control_[0], watcher);
    } catch (const std::exception&) {
    }
    ::_exit(result);
  }

  std::array<int, 2> control_{};
  pid_t pid_ = -1;
  bool traced_ = false;
};

/// A rank that asks for ever other clocks until it is killed.
class AskingRank {
 public:
  explicit AskingRank(const fs::path& socket) : pid_(::fork()) {
    if (pid_ != 0) return;
    try {
      KeeperClient client =
          KeeperClient::connect(socket, PuSet::parse("0-1"), std::chrono::seconds(60));
      for (std::uint32_t i = 0;; ++i) {
        client.ask(0, kLeastKhz + i % 11 * 100'000);
        client.ask(1, kLeastKhz + i % 7 * 200'000);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    } catch (const std::exception&) {
    }
    ::_exit(0);
  }
  ~AskingRank() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  AskingRank(const AskingRank&) = delete;
  AskingRank& operator=(const AskingRank&) = delete;

 private:
  pid_t pid_;
};

/// A step whose keeper is at its n-th write, beside another step.
struct StepAtWrite {
  StepAtWrite(int n, Moment moment)
      : before(node.contents()),
        socket(node.scratch.path() / "keeper"),
        listening(listening_at(socket)),
        watcher_ended(watcher.descriptor()),
        keeper(node, listening.number(), watcher_ended.number()) {
    REQUIRE(keeper.is_traced());
    REQUIRE(node.claim({2, 0, false, other_daemon.identity(),
                        frequency::parse_limits_by_pu("3@1-1800000")})
                .clean());
    others = node.writes_to_others();
    const frequency::FrequencyReport report =
        node.claim({1, 0, false, daemon.identity(),
                    frequency::parse_limits_by_pu("0-1@1200000-2400000"), keeper.identity()});
    REQUIRE(report.clean());
    REQUIRE(report.moved.size() == 2);
    rank.emplace(socket);
    REQUIRE(keeper.go_to_write(n, moment));
  }

  /// After the step's daemon has died, and once any process has looked at the journal.
  void expect_as_before_the_step() {
    CHECK(node.sweep().clean());
    for (const std::uint32_t policy : {0U, 1U, 2U}) CHECK(node.khz(policy) == 3'000'000);
    CHECK(node.khz(3) == 1'800'000);
    CHECK(node.writes_to_others() == others);
    other_daemon.kill();
    CHECK(node.sweep().clean());
    CHECK(node.contents() == before);
    CHECK_FALSE(fs::exists(node.journal() / "frequencies"));
  }

  FourClocks node;
  std::map<std::string, std::string> before;
  std::map<std::string, std::tuple<ino_t, time_t, long>> others;
  fs::path socket;
  files::OwnedDescriptor listening;
  IdleProcess other_daemon;
  IdleProcess daemon;
  IdleProcess watcher;
  files::OwnedDescriptor watcher_ended;
  StoppedKeeper keeper;
  std::optional<AskingRank> rank;
};

/// Two are the keeper's first, the others what the rank asks for.
constexpr int kWrites = 12;

void at_each_write(const std::function<void(StepAtWrite&)>& test) {
  for (int n = 1; n <= kWrites; ++n)
    for (const Moment moment : {Moment::kBefore, Moment::kAfter}) {
      CAPTURE(n);
      CAPTURE(moment == Moment::kAfter);
      StepAtWrite step(n, moment);
      test(step);
    }
}

TEST_CASE("a keeper killed at any of its writes leaves clocks that the next process puts right") {
  at_each_write([](StepAtWrite& step) {
    step.keeper.kill();
    for (const std::uint32_t policy : {0U, 1U}) {
      CHECK(step.node.khz(policy) >= kLeastKhz);
      CHECK(step.node.khz(policy) <= kTopKhz);
    }
    // As the watcher does while the step goes on.
    CHECK(step.node.sweep().clean());
    for (const std::uint32_t policy : {0U, 1U}) CHECK(step.node.khz(policy) == kTopKhz);
    CHECK(step.node.writes_to_others() == step.others);
    step.daemon.kill();
    step.expect_as_before_the_step();
  });
}

TEST_CASE(
    "a slurmstepd killed at any of its keeper's writes: the keeper ends, and writes no more") {
  at_each_write([](StepAtWrite& step) {
    const processes::ProcessIdentity keeper = step.keeper.identity();
    step.daemon.kill();
    CHECK(step.node.sweep().clean());
    REQUIRE_FALSE(processes::is_alive(keeper));
    CHECK(step.keeper.reap() == -1);
    step.expect_as_before_the_step();
  });
}

TEST_CASE(
    "a watcher killed at any of its keeper's writes: the keeper ends with clocks at the top") {
  at_each_write([](StepAtWrite& step) {
    step.watcher.kill();
    CHECK(step.keeper.run_to_its_end() == 0);
    for (const std::uint32_t policy : {0U, 1U}) CHECK(step.node.khz(policy) == kTopKhz);
    CHECK(step.node.writes_to_others() == step.others);
    step.daemon.kill();
    step.expect_as_before_the_step();
  });
}

TEST_CASE("keeper, watcher and slurmstepd killed together at any of the keeper's writes") {
  at_each_write([](StepAtWrite& step) {
    step.keeper.kill();
    step.watcher.kill();
    step.daemon.kill();
    step.expect_as_before_the_step();
  });
}

}  // namespace
}  // namespace huddle::keeper
