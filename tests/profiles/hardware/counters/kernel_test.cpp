#include "profiles/hardware/counters/kernel.hpp"

#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/counters/event_names.hpp"
#include "tests/profiles/hardware/counters/fake_kernel.hpp"

// On the kernel that runs the tests, whatever it permits.
namespace huddle::counters {
namespace {

using Names = std::vector<std::string>;

void burn(double seconds) {
  timespec now{};
  const auto cpu_time = [&now] {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  for (const double end = cpu_time() + seconds; cpu_time() < end;) {
  }
}

std::optional<double> count_of(const CounterSet& set, const Tally& tally, std::string_view event) {
  const auto found = std::find(set.events().begin(), set.events().end(), event);
  if (found == set.events().end()) return std::nullopt;
  return set.counts(tally)[static_cast<std::size_t>(found - set.events().begin())];
}

// Runs `work` in a process of its own, which may lose rights; true if it returned true.
template <class Work>
bool in_a_child(Work&& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool good = false;
    try {
      good = work();
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool has_core_counters() {
  return !PmuDirectory("/sys").core_pmus().empty();
}

// The true kernel, as if it were too old to read inherited groups at once.
Kernel old_kernel() {
  Kernel kernel = Kernel::real();
  kernel.calls.open_event = [](void* context, const EventRequest& request) {
    return request.group_read ? -EINVAL : Kernel::real().calls.open_event(context, request);
  };
  return kernel;
}

TEST_CASE("threads from before and after the opening are counted as the process's clock does") {
  Kernel kernel = Kernel::real();
  SUBCASE("groups read at once") {}
  SUBCASE("groups read one by one") {
    kernel = old_kernel();
  }
  std::atomic<bool> opened{false};
  std::atomic<bool> burned{false};
  std::atomic<bool> over{false};
  std::thread earlier([&] {
    while (!opened) std::this_thread::yield();
    burn(0.1);
    burned = true;
    while (!over) ::usleep(1000);
  });
  // The one that moves is in the middle of a group.
  const CounterSet set = CounterSet::open(
      Names{"alignment-faults", "cpu-clock", "emulation-faults", "task-clock"}, kernel);
  Reading begin;
  set.read(begin);
  opened = true;
  std::thread later([] { burn(0.1); });
  later.join();
  while (!burned) ::usleep(1000);
  burn(0.02);
  Reading end;
  set.read(end);
  over = true;
  earlier.join();

  const Tally tally = difference(begin, end);
  const double expected_ns = count_of(set, tally, "task-clock").value();
  CHECK(expected_ns >= 0.22e9);
  if (const auto counted_ns = count_of(set, tally, "cpu-clock")) {
    CHECK(*counted_ns == doctest::Approx(expected_ns).epsilon(0.1));
  } else {
    REQUIRE_FALSE(set.absent().empty());
    MESSAGE("this kernel permits no events: " << set.absent().front().reason);
  }
}

TEST_CASE("a process that the program forks is not counted") {
  const CounterSet set = CounterSet::open(Names{"cpu-clock", "task-clock"});
  if (set.events().size() < 2) return;
  Reading begin;
  set.read(begin);
  CHECK(in_a_child([] {
    burn(0.2);
    return true;
  }));
  Reading end;
  set.read(end);
  const Tally tally = difference(begin, end);
  CHECK(count_of(set, tally, "task-clock").value() < 0.1e9);
  CHECK(count_of(set, tally, "cpu-clock").value() < 0.1e9);
}

TEST_CASE("faults and switches of the process are seen without any permission") {
  const CounterSet set = CounterSet::open(Names{"page-faults", "context-switches"});
  Reading begin;
  set.read(begin);
  constexpr std::size_t kPages = 200;
  constexpr std::size_t kPage = 4096;
  std::vector<char> memory(kPages * kPage + (std::size_t{1} << 22U));
  for (std::size_t i = 0; i < memory.size(); i += kPage) memory[i] = static_cast<char>(i);
  for (int i = 0; i < 5; ++i) ::usleep(1000);
  Reading end;
  set.read(end);
  const Tally tally = difference(begin, end);
  CHECK(count_of(set, tally, "page-faults").value() >= 2);
  CHECK(count_of(set, tally, "context-switches").value() >= 5);
}

TEST_CASE("the default events are either counted or absent with a reason, for root and others") {
  const auto check = [] {
    const CounterSet set = CounterSet::open(default_events());
    const bool is_counted = set.hardware_absent_reason().empty();
    const bool is_whole = set.events().size() + set.absent().size() >= default_events().size();
    const bool has_process =
        std::count(set.events().begin(), set.events().end(), "task-clock") == 1;
    const bool has_reasons = std::none_of(set.absent().begin(), set.absent().end(),
                                          [](const AbsentEvent& a) { return a.reason.empty(); });
    return is_whole && has_process && has_reasons &&
           (is_counted || !has_core_counters() || perf_event_paranoid(Kernel::real()) > 2 ||
            set.hardware_absent_reason().size() > 20);
  };
  CHECK(check());
  if (::geteuid() != 0) return;
  CHECK(in_a_child([&] {
    return ::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0 && check();
  }));
}

TEST_CASE("without privileges migrations are counted in earnest or not at all") {
  const auto level = perf_event_paranoid(Kernel::real());
  REQUIRE(level.has_value());
  const auto check = [level] {
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setuid(65534) != 0)) return false;
    const CounterSet set = CounterSet::open(Names{"cpu-migrations"});
    if (*level < 2) return true;  // permitted, unless a container refuses
    const std::string begin = "perf_event_paranoid is " + std::to_string(*level);
    return set.events().empty() && set.absent().size() == 1 &&
           (set.absent().front().reason.starts_with(begin) ||
            set.absent().front().reason.find("not permitted") != std::string::npos);
  };
  CHECK(in_a_child(check));
}

TEST_CASE("descriptors of events are high, closed by exec, and gone with the set") {
  const auto descriptors = [] {
    std::vector<int> open;
    for (int i = 0; i < 1024; ++i)
      if (::fcntl(i, F_GETFD) >= 0) open.push_back(i);
    return open;
  };
  const std::vector<int> before = descriptors();
  {
    const CounterSet set = CounterSet::open(Names{"cpu-clock"});
    for (const int descriptor : descriptors()) {
      if (std::count(before.begin(), before.end(), descriptor) == 1) continue;
      CHECK(descriptor >= 100);
      CHECK((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
    }
    CHECK(descriptors().size() - before.size() >= set.events().size());
  }
  CHECK(descriptors() == before);
}

TEST_CASE("opening a set leaves errno as it was") {
  errno = ERANGE;
  const CounterSet set = CounterSet::open(default_events());
  CHECK(errno == ERANGE);
}

TEST_CASE("several threads may read one set at once") {
  const CounterSet set = CounterSet::open(Names{"cpu-clock", "task-clock", "page-faults"});
  std::atomic<bool> monotonic{true};
  const auto read = [&] {
    Reading last;
    set.read(last);
    for (int i = 0; i < 2000; ++i) {
      Reading now;
      set.read(now);
      if (difference(last, now).lost != 0) monotonic = false;
      last = now;
    }
  };
  std::thread other(read);
  read();
  other.join();
  CHECK(monotonic);
}

TEST_CASE("the level of permission is read as a number, and unknown otherwise") {
  FakeKernel fake;
  CHECK_FALSE(perf_event_paranoid(fake.kernel()).has_value());
  fake.set_paranoid(-1);
  CHECK(perf_event_paranoid(fake.kernel()) == -1);
  fake.set_paranoid(3);
  CHECK(perf_event_paranoid(fake.kernel()) == 3);
}

}  // namespace
}  // namespace huddle::counters
