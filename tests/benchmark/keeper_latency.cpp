// Measures what asking for a clock costs a rank, and how soon the file has it; beside what there is
// no way around: waking another thread by an eventfd, and writing to the file. sysfs is plain files
// in memory, so a kernel's own work for a new limit is not in these times.
//
//     keeper_latency [--rounds N]
//
// On the same core: rank and keeper bound to one, so that no other core has to be woken. On two:
// the rank on one and the keeper on another. Run it on a quiet machine.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/keeper/protocol/keeper_client.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/keeper/step_keeper.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kLeast = 1'200'000;
constexpr std::uint32_t kMost = 2'400'000;
// Between rounds, so that the keeper sleeps again and may lower again.
constexpr std::chrono::microseconds kPause{1500};
constexpr std::chrono::microseconds kLook{100};
// A rank asks in the midst of its work, not when its processor has just been woken.
constexpr keeper::MonotonicNs kWorkNs = 200'000;

void bind_to(std::uint32_t pu) {
  PuSet one;
  one.add(pu);
  one.bind_this_thread();
}

// Between two rounds.
void pause_and_work() {
  std::this_thread::sleep_for(kPause);
  const keeper::MonotonicNs begin = keeper::monotonic_now();
  while (keeper::monotonic_now() < begin + kWorkNs) continue;
}

struct Times {
  void add(keeper::MonotonicNs begin, keeper::MonotonicNs end) {
    us.push_back(static_cast<double>(end - begin) * 1e-3);
  }
  [[nodiscard]] double quantile(double share) {
    std::sort(us.begin(), us.end());
    return us[std::min(us.size() - 1,
                       static_cast<std::size_t>(share * static_cast<double>(us.size())))];
  }
  void print(std::string_view what) {
    fmt::print("{:<58} {:>9.2f} {:>9.2f}\n", what, quantile(0.5), quantile(0.99));
  }
  std::vector<double> us;
};

// A folder that looks like a sysfs with clocks, one for each PU.
class Sysfs {
 public:
  explicit Sysfs(std::uint32_t clocks) {
    path_ = "/dev/shm/huddle-keeper-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw SystemError("make", path_, errno);
    for (std::uint32_t i = 0; i < clocks; ++i) {
      fs::create_directories(most(i).parent_path());
      std::ofstream(most(i)) << kMost << '\n';
      std::ofstream(most(i).parent_path() / "scaling_cur_freq") << kMost << '\n';
      keeper::EnvelopeClock clock{i, {}, {kLeast, kMost}, {}};
      clock.pus.add(i);
      envelope.push_back(clock);
    }
  }
  ~Sysfs() { fs::remove_all(path_); }
  Sysfs(const Sysfs&) = delete;
  Sysfs& operator=(const Sysfs&) = delete;

  [[nodiscard]] fs::path path() const { return path_; }
  [[nodiscard]] fs::path most(std::uint32_t clock) const {
    return fs::path(path_) /
           fmt::format("devices/system/cpu/cpufreq/policy{}/scaling_max_freq", clock);
  }
  std::vector<keeper::EnvelopeClock> envelope;

 private:
  std::string path_;
};

// A keeper in a thread that is bound to a PU.
class BoundKeeper {
 public:
  BoundKeeper(const Sysfs& sysfs, std::uint32_t pu)
      : envelope_(sysfs.envelope, sysfs.path()), socket_(sysfs.path() / "keeper") {
    listening_ = files::OwnedDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    struct sockaddr_un address {};
    address.sun_family = AF_UNIX;
    socket_.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    ::unlink(socket_.c_str());
    std::array<int, 2> control{};
    if (::bind(listening_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listening_.number(), 16) != 0 || ::pipe2(control.data(), O_CLOEXEC) != 0)
      throw SystemError("listen at", socket_.string(), errno);
    control_ = files::OwnedDescriptor(control[0]);
    held_ = files::OwnedDescriptor(control[1]);
    thread_ = std::thread([this, pu] {
      bind_to(pu);
      keeper::KeeperSettings settings;
      settings.user = ::geteuid();
      settings.is_member = [](pid_t) { return true; };
      keeper::keep_clocks(envelope_, settings, listening_.number(), control_.number());
    });
  }
  ~BoundKeeper() {
    held_.close();
    thread_.join();
  }
  BoundKeeper(const BoundKeeper&) = delete;
  BoundKeeper& operator=(const BoundKeeper&) = delete;

  [[nodiscard]] keeper::KeeperClient rank(const PuSet& pus) const {
    return keeper::KeeperClient::connect(socket_, pus, std::chrono::seconds(5));
  }

 private:
  keeper::ClockEnvelope envelope_;
  fs::path socket_;
  files::OwnedDescriptor listening_;
  files::OwnedDescriptor control_;
  files::OwnedDescriptor held_;
  std::thread thread_;
};

std::uint32_t limit_in(int file) {
  std::array<char, 16> text{};
  if (::pread(file, text.data(), text.size(), 0) <= 0) return 0;
  std::uint32_t khz = 0;
  std::from_chars(text.data(), text.data() + text.size(), khz);
  return khz;
}

// The rank asks, and sleeps until the keeper says that it is done. When the file was written is the
// keeper's own time, taken behind the write: so the rank does not disturb what it measures.
void measure_asks(const BoundKeeper& keeper, const Sysfs& sysfs, int rounds, Times& asks,
                  Times& at_file) {
  PuSet first;
  first.add(sysfs.envelope.front().pus.members().front());
  keeper::KeeperClient rank = keeper.rank(first);
  const files::OwnedDescriptor file(::open(sysfs.most(0).c_str(), O_RDONLY | O_CLOEXEC));
  std::uint32_t khz = kMost;
  for (int i = 0; i < rounds; ++i) {
    pause_and_work();
    khz = khz == kMost ? kLeast : kMost;
    const keeper::MonotonicNs begin = keeper::monotonic_now();
    rank.ask(0, khz);
    asks.add(begin, keeper::monotonic_now());
    while (rank.answer(0).written_khz != khz) {
      if (keeper::monotonic_now() > begin + 1'000'000'000)
        throw Error("what was asked did not reach the file");
      std::this_thread::sleep_for(kLook);
    }
    at_file.add(begin, rank.answer(0).changed_at_ns);
    if (limit_in(file.number()) != khz) throw Error("the file does not have what the keeper says");
  }
}

// Asks while the keeper is about to look anyway, which need no system call.
Times asks_in_a_row(const BoundKeeper& keeper, int rounds) {
  PuSet first;
  first.add(0);
  keeper::KeeperClient rank = keeper.rank(first);
  Times times;
  for (int i = 0; i < rounds; ++i) {
    pause_and_work();
    rank.ask(0, kMost);
    const keeper::MonotonicNs begin = keeper::monotonic_now();
    for (std::uint32_t each = 0; each < 8; ++each) rank.ask(0, kMost - each);
    times.us.push_back(static_cast<double>(keeper::monotonic_now() - begin) * 1e-3 / 8);
  }
  return times;
}

// A thread that does nothing but wait for an eventfd and say when it woke.
void measure_pings(int rounds, std::uint32_t pu, Times& writes, Times& woken) {
  const files::OwnedDescriptor ping(::eventfd(0, EFD_CLOEXEC));
  std::atomic<keeper::MonotonicNs> woke{0};
  std::atomic<bool> over{false};
  std::thread peer([&] {
    bind_to(pu);
    std::uint64_t count = 0;
    while (!over && ::read(ping.number(), &count, sizeof count) == sizeof count)
      woke = keeper::monotonic_now();
  });
  const std::uint64_t one = 1;
  for (int i = 0; i < rounds; ++i) {
    pause_and_work();
    woke = 0;
    const keeper::MonotonicNs begin = keeper::monotonic_now();
    if (::write(ping.number(), &one, sizeof one) != sizeof one) break;
    writes.add(begin, keeper::monotonic_now());
    while (woke == 0) std::this_thread::sleep_for(kLook);
    woken.add(begin, woke);
  }
  over = true;
  static_cast<void>(::write(ping.number(), &one, sizeof one) == sizeof one);
  peer.join();
}

Times bare_writes(const Sysfs& sysfs, int rounds) {
  const files::OwnedDescriptor file(::open(sysfs.most(1).c_str(), O_WRONLY | O_CLOEXEC));
  Times times;
  for (int i = 0; i < rounds; ++i) {
    pause_and_work();
    const std::string_view text = i % 2 == 0 ? "1200000\n" : "2400000\n";
    const keeper::MonotonicNs begin = keeper::monotonic_now();
    if (::pwrite(file.number(), text.data(), text.size(), 0) < 0) break;
    times.add(begin, keeper::monotonic_now());
  }
  return times;
}

// A rank wakes the keeper without end, while another one asks.
Times asks_beside_a_flood(const BoundKeeper& keeper, const Sysfs& sysfs, int rounds) {
  std::atomic<bool> over{false};
  // On the same core as this one.
  std::thread flood([&] {
    PuSet others;
    for (std::uint32_t pu = 2; pu < sysfs.envelope.size(); ++pu) others.add(pu);
    keeper::KeeperClient rank = keeper.rank(others);
    for (std::uint32_t i = 0; !over; ++i)
      rank.ask(i % rank.clocks().size(), kLeast + i * 7919 % (kMost - kLeast));
  });
  Times asks;
  Times at_file;
  measure_asks(keeper, sysfs, rounds, asks, at_file);
  over = true;
  flood.join();
  return at_file;
}

void measure_on(std::uint32_t rank_pu, std::uint32_t keeper_pu, int rounds,
                const std::string& where) {
  const Sysfs sysfs(64);
  const BoundKeeper keeper(sysfs, keeper_pu);

  Times asks;
  Times at_file;
  Times writes;
  Times woken;
  measure_asks(keeper, sysfs, rounds, asks, at_file);
  measure_pings(rounds, keeper_pu, writes, woken);
  asks.print("ask(), the keeper sleeps, " + where);
  asks_in_a_row(keeper, rounds).print("ask(), it is about to look, " + where);
  writes.print("  peer: write to an eventfd that a thread sleeps at");
  at_file.print("from ask() until the file has it, " + where);
  woken.print("  peer: until that thread runs");
  bare_writes(sysfs, rounds).print("  peer: pwrite to the file");
  if (keeper_pu != rank_pu)
    asks_beside_a_flood(keeper, sysfs, rounds)
        .print("from ask() until the file has it, beside a flood of asks");
}

int run(int rounds) {
  const PuSet pus = PuSet::of_this_thread();
  bind_to(pus.members().front());
  fmt::print("{} rounds, times in us\n{:<58} {:>9} {:>9}\n", rounds, "", "median", "p99");
  measure_on(pus.members().front(), pus.members().front(), rounds, "same core");
  if (pus.size() > 1) measure_on(pus.members().front(), pus.members().back(), rounds, "two cores");
  return 0;
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  try {
    int rounds = 2000;
    if (argc == 3 && std::string_view(argv[1]) == "--rounds") rounds = std::atoi(argv[2]);
    if (rounds < 1 || (argc != 1 && argc != 3))
      throw huddle::UsageError("usage: keeper_latency [--rounds N]");
    return huddle::run(rounds);
  } catch (const huddle::Error& error) {
    fmt::print(stderr, "keeper_latency: {}\n", error.what());
    return 1;
  }
}
