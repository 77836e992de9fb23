#include "spank_plugin/runtime/packing/bound_threads.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::runtime {
namespace {

using Result = BoundThreads::Result;

/// Two PUs of this test, and nobody's threads bound before and after.
struct TwoPus {
  TwoPus() {
    if (home.size() < 2) return;
    a = home.members()[0];
    b = home.members()[1];
    enough = true;
    bound_threads.begin(CpuMask(home));
  }
  ~TwoPus() {
    bound_threads.end();
    home.bind_this_thread();
  }
  TwoPus(const TwoPus&) = delete;
  TwoPus& operator=(const TwoPus&) = delete;

  PuSet home = PuSet::of_this_thread();
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool enough = false;
};

std::string place() {
  return PuSet::of_this_thread().list();
}
std::string text(std::uint32_t pu) {
  return std::to_string(pu);
}
pid_t number() {
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

bool binds(pid_t thread, const PuSet& pus) {
  return bound_threads.program_binds(thread, [&] { return CpuMask(pus).give_to(thread); });
}

/// A thread that does what it is told, one thing after the other.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    does({});
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  void does(std::function<void()> work) {
    work_ = std::move(work);
    const int before = done_.load();
    ++asked_;
    asked_.notify_one();
    if (work_) done_.wait(before);
  }

 private:
  void run() {
    for (int seen = 0;; ++seen) {
      asked_.wait(seen);
      if (!work_) return;
      work_();
      ++done_;
      done_.notify_one();
    }
  }
  std::function<void()> work_;
  std::atomic<int> asked_{0};
  std::atomic<int> done_{0};
  std::thread thread_;
};

}  // namespace

TEST_CASE("a thread is bound to one PU after the other, which others can tell, and goes home") {
  const TwoPus here;
  if (!here.enough) return;
  CHECK_FALSE(bound_threads.is_bound(0));
  CHECK(bound_threads.bind(here.a) == Result::kDone);
  CHECK(place() == text(here.a));
  CHECK(bound_threads.bind(here.b) == Result::kDone);
  CHECK(place() == text(here.b));
  CHECK(bound_threads.is_bound(0));
  const pid_t mine = number();
  std::thread([&] {
    CHECK(bound_threads.is_bound(mine));
    CHECK_FALSE(bound_threads.is_bound(0));
  }).join();
  CHECK(bound_threads.return_home() == Result::kDone);
  CHECK(place() == here.home.list());
  CHECK_FALSE(bound_threads.is_bound(mine));
}

TEST_CASE("a thread that is not where it was left stays where it is") {
  const TwoPus here;
  if (!here.enough) return;
  Worker worker;
  worker.does([&] {
    CHECK(bound_threads.bind(here.a) == Result::kDone);
    PuSet::parse(text(here.b)).bind_this_thread();
    CHECK(bound_threads.bind(here.a) == Result::kForeign);
    CHECK(bound_threads.return_home() == Result::kForeign);
    CHECK_FALSE(bound_threads.is_bound(0));
  });
  bound_threads.end();
  worker.does([&] { CHECK(place() == text(here.b)); });
}

TEST_CASE("a binding by the program ends ours, and a refused one does not") {
  const TwoPus here;
  if (!here.enough) return;
  Worker worker;
  pid_t thread = 0;
  worker.does([&] {
    thread = number();
    bound_threads.bind(here.a);
  });
  CHECK_FALSE(bound_threads.program_binds(thread, [] { return false; }));
  CHECK(bound_threads.is_bound(thread));
  CHECK(binds(thread, PuSet::parse(text(here.b))));
  CHECK_FALSE(bound_threads.is_bound(thread));
  CHECK_FALSE(binds(thread, PuSet::parse(text(here.a))));  // it is the program's already
  bound_threads.end();
  worker.does([&] { CHECK(place() == text(here.a)); });
}

TEST_CASE("at the end all go home but those whom the program has bound") {
  const TwoPus here;
  if (!here.enough) return;
  Worker ours, heir, programs;
  ours.does([&] { bound_threads.bind(here.a); });
  heir.does([&] { PuSet::parse(text(here.a)).bind_this_thread(); });
  programs.does([&] { CHECK_FALSE(binds(0, PuSet::parse(text(here.a)))); });
  bound_threads.end();
  ours.does([&] { CHECK(place() == here.home.list()); });
  heir.does([&] { CHECK(place() == here.home.list()); });
  programs.does([&] { CHECK(place() == text(here.a)); });
}

TEST_CASE("what a bound thread makes begins at home, and the thread goes back") {
  const TwoPus here;
  if (!here.enough) return;
  bound_threads.bind(here.a);
  {
    const BoundThreads::AtHome home;
    CHECK(place() == here.home.list());
  }
  CHECK(place() == text(here.a));
  {
    const BoundThreads::AtHome home;
    binds(0, PuSet::parse(text(here.b)));
  }
  CHECK(place() == text(here.b));
}

TEST_CASE("a thread that ended is forgotten") {
  const TwoPus here;
  if (!here.enough) return;
  pid_t thread = 0;
  std::thread([&] {
    thread = number();
    bound_threads.bind(here.a);
    CHECK(bound_threads.is_bound(thread));
  }).join();
  CHECK_FALSE(bound_threads.is_bound(thread));
}

}  // namespace huddle::runtime
