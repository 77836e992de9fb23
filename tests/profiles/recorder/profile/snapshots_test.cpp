#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "profiles/recorder/profile/parts.hpp"

using namespace huddle::recorder;
using std::chrono::hours;
using std::chrono::milliseconds;

namespace {

/// Counts, and lets others wait for a count.
class Counter {
 public:
  void add() {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    news_.notify_all();
  }
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] { return count_ >= count; });
  }
  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("an action is repeated, the first time after a time of its own") {
  Counter counter;
  const Snapshots snapshots([&] { counter.add(); }, milliseconds(0), milliseconds(1));
  counter.wait_for(4);
  CHECK(counter.count() >= 4);
}

TEST_CASE("between two actions lies a whole period, whatever the first one's time") {
  Counter counter;
  {
    const Snapshots snapshots([&] { counter.add(); }, milliseconds(0), hours(1));
    counter.wait_for(1);
  }
  CHECK(counter.count() == 1);
}

TEST_CASE("who ends before the first action is due waits for none") {
  Counter counter;
  {
    const Snapshots snapshots([&] { counter.add(); }, hours(1), hours(1));
  }
  CHECK(counter.count() == 0);
}

TEST_CASE("the end waits for an action that is under way, and none follows") {
  std::promise<void> begun;
  std::promise<void> go_on;
  std::atomic<int> ended = 0;
  std::thread opener;
  {
    const Snapshots snapshots(
        [&] {
          begun.set_value();
          go_on.get_future().wait();
          ++ended;
        },
        milliseconds(0), hours(1));
    begun.get_future().wait();
    opener = std::thread([&] { go_on.set_value(); });
  }
  CHECK(ended == 1);
  opener.join();
}

TEST_CASE("the thread takes no signals; its maker takes those it took before") {
  sigset_t before{};
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  std::promise<bool> seen;
  {
    const Snapshots snapshots(
        [&] {
          sigset_t mask{};
          pthread_sigmask(SIG_SETMASK, nullptr, &mask);
          bool all = true;
          for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGPROF, SIGCHLD})
            all = all && sigismember(&mask, signal) == 1;
          seen.set_value(all);
        },
        milliseconds(0), hours(1));
    CHECK(seen.get_future().get());
  }
  sigset_t after{};
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1})
    CHECK(sigismember(&after, signal) == sigismember(&before, signal));
}
