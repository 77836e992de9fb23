// A keeper in a process of its own, on files, with a real journal: whoever is killed at whichever
// of its writes, what the next one that looks puts back is what was there before the step.
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <set>

#include "profiles/processes/process_identity.hpp"
#include "spank_plugin/frequency/frequency_control.hpp"
#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle {
namespace {

enum class Victim : std::uint8_t { kKeeper, kSlurmstepd, kBoth };
enum class Moment : std::uint8_t { kBefore, kBehind };

// A child that this process must kill, or wait for.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : pid_(::fork()) {
    if (pid_ < 0) throw SystemError("start", "a process", errno);
    if (pid_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(work());
  }
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  // It has been waited for.
  void forget() { pid_ = -1; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] ProcessIdentity identity() const {
    return identity_of(static_cast<std::uint32_t>(pid_)).value();
  }

 private:
  pid_t pid_;
};

int pause_for_ever() {
  for (;;) ::pause();
}

// A rank that asks for other clocks all the time.
class AskingRank {
 public:
  explicit AskingRank(std::filesystem::path socket)
      : thread_([this, socket = std::move(socket)] { ask(socket); }) {}
  ~AskingRank() {
    over_ = true;
    thread_.join();
  }
  AskingRank(const AskingRank&) = delete;
  AskingRank& operator=(const AskingRank&) = delete;

 private:
  void ask(const std::filesystem::path& socket) {
    try {
      KeeperClient client =
          KeeperClient::connect(socket, PuSet::parse("0-1"), std::chrono::seconds(5));
      for (std::uint32_t i = 0; !over_; ++i) {
        client.ask(i % 2, kLeastKhz + 100'000 * (i % 11));
        std::this_thread::sleep_for(std::chrono::microseconds(700));
      }
    } catch (const Error&) {  // it was killed before that
    }
  }

  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// Two clocks of a step, and one of another step, which says what it has from the beginning.
class StepOfFiles {
 public:
  StepOfFiles() : slurmstepd_(pause_for_ever), other_slurmstepd_(pause_for_ever) {
    for (std::uint32_t policy = 0; policy < 3; ++policy) {
      const auto put = [&](const char* name, const std::string& text) {
        put_file(node_.file(policy, name), text + "\n");
      };
      put("affected_cpus", std::to_string(policy));
      put("related_cpus", std::to_string(policy));
      put("scaling_driver", "intel_cpufreq");
      put("scaling_available_governors", "powersave performance schedutil");
      put("cpuinfo_min_freq", "1000000");
      put("cpuinfo_max_freq", "3000000");
    }
    before_ = files();
    REQUIRE(claim(other_slurmstepd_, 2, "2@1000000-2000000", nullptr).clean());
    with_other_ = files();
    REQUIRE(with_other_ != before_);
  }

  // Kills at the `nth` write of the keeper, counted from 0. Returns which files it wrote to.
  std::set<std::string> kill_at(int nth, Moment moment, Victim victim) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    OwnedDescriptor control(ends[0]);
    OwnedDescriptor held(ends[1]);
    OwnedDescriptor listening = listening_at(socket());
    const pid_t parent = ::getpid();
    Child keeper([&] {
      held.close();
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::kill(::getpid(), SIGSTOP);
      return ::getppid() == parent ? keep(listening.number(), control.number()) : 1;
    });
    int status = 0;
    ::waitpid(keeper.pid(), &status, 0);  // before its first instruction
    REQUIRE(WIFSTOPPED(status));
    const ProcessIdentity identity = keeper.identity();
    REQUIRE(claim(slurmstepd_, 1, "0-1@1200000-2400000", &identity).clean());
    listening.close();  // so that a rank notices when the keeper is gone
    std::set<std::string> written;
    {
      const AskingRank rank(socket());
      written = trace(keeper, held, nth, moment, victim);
    }
    ::unlink(socket().c_str());
    return written;
  }

  // As a slurmstepd does whose step is over, or else slurmd, the epilog or another step.
  void clean_up() {
    const FrequencyReport report =
        is_alive(step_) ? control_.release([](const Claim& claim) { return claim.job == 1; })
                        : control_.sweep();
    CHECK(report.clean());
    CHECK(report.differences.empty());
  }
  [[nodiscard]] bool is_as_before_the_step() const { return files() == with_other_; }
  // The other step ends, too.
  [[nodiscard]] bool is_as_before() {
    CHECK(control_.release([](const Claim&) { return true; }).clean());
    return files() == before_ && !std::filesystem::exists(journal() / "frequencies");
  }

 private:
  using Files = std::map<std::string, std::string>;

  [[nodiscard]] std::filesystem::path socket() const { return node_.scratch.path() / "keeper"; }
  [[nodiscard]] std::filesystem::path journal() const { return journal_.path() / "journal"; }
  [[nodiscard]] Files files() const {
    Files files;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(node_.scratch.path() / "devices"))
      if (entry.is_regular_file()) {
        // As Linux shows a value, whether or not a newline was written with it.
        const std::string text = get_file(entry.path());
        files[entry.path().string()] = text.substr(0, text.find('\n'));
      }
    return files;
  }

  FrequencyReport claim(const Child& owner, std::uint32_t job, const std::string& limits,
                        const ProcessIdentity* keeper) {
    Claim claim{job, 0, false, owner.identity(), parse_limits_by_pu(limits), {}};
    if (keeper != nullptr) claim.keeper = *keeper;
    if (job == 1) step_ = claim.owner;
    return control_.claim(claim, PuSet::parse("0-2"));
  }

  int keep(int listening, int control) const {
    try {
      const ClockEnvelope envelope(node_.envelope, node_.scratch.path());
      KeeperSettings settings;
      settings.user = ::geteuid();
      settings.is_member = [](pid_t) { return true; };
      return keep_clocks(envelope, settings, listening, control);
    } catch (const std::exception&) {
      return 1;
    }
  }

  // Runs the keeper from system call to system call.
  std::set<std::string> trace(Child& keeper, OwnedDescriptor& held, int nth, Moment moment,
                              Victim victim) {
    const pid_t pid = keeper.pid();
    REQUIRE(::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) ==
            0);
    std::set<std::string> written;
    int writes = -1;
    bool in_write = false;
    bool done = false;
    for (long signal = 0;;) {
      ::ptrace(PTRACE_SYSCALL, pid, nullptr, signal);
      int status = 0;
      if (::waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) break;  // it has ended
      signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
      if (signal != 0) continue;
      struct __ptrace_syscall_info call {};
      REQUIRE(::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call) > 0);
      const bool entry = call.op == PTRACE_SYSCALL_INFO_ENTRY;
      if (entry) {
        in_write = call.entry.nr == SYS_pwrite64;
        if (in_write) {
          ++writes;
          written.insert(std::filesystem::read_symlink(
              fmt::format("/proc/{}/fd/{}", pid, call.entry.args[0])));
        }
      }
      if (done || !in_write || writes != nth || entry != (moment == Moment::kBefore)) continue;
      done = true;
      if (victim != Victim::kKeeper) {
        slurmstepd_.kill();
        held.close();  // it held the other end
      }
      if (victim != Victim::kSlurmstepd) ::kill(pid, SIGKILL);
    }
    keeper.forget();
    CHECK(done);
    return written;
  }

  NodeOfFiles node_;
  TemporaryDirectory journal_;
  SysfsCpufreq kernel_{node_.scratch.path()};
  FrequencyControl control_{kernel_, [this] {
                              FrequencyControl::Settings settings;
                              settings.journal_directory = journal();
                              return settings;
                            }()};
  Child slurmstepd_;
  Child other_slurmstepd_;
  ProcessIdentity step_;
  Files before_;
  Files with_other_;
};

TEST_CASE("whoever is killed at whichever write of a keeper, clocks get back what they had") {
  constexpr int kWrites = 9;
  for (const Victim victim : {Victim::kKeeper, Victim::kSlurmstepd, Victim::kBoth})
    for (const Moment moment : {Moment::kBefore, Moment::kBehind})
      for (int nth = 0; nth < kWrites; ++nth) {
        CAPTURE(static_cast<int>(victim));
        CAPTURE(static_cast<int>(moment));
        CAPTURE(nth);
        StepOfFiles step;
        const std::set<std::string> written = step.kill_at(nth, moment, victim);
        for (const std::string& file : written) {
          CAPTURE(file);
          CHECK(file.ends_with("/scaling_max_freq"));
          CHECK(file.find("/policy2/") == std::string::npos);
        }
        step.clean_up();
        CHECK(step.is_as_before_the_step());
        CHECK(step.is_as_before());
      }
}

}  // namespace
}  // namespace huddle
