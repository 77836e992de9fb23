#include "profiles/recorder/moves/own_threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>

namespace huddle::recorder {
namespace {

PuSet some_of(const PuSet& pus) {
  PuSet one;
  one.add(pus.members().front());
  return one;
}

// Lives until the end of the scope, bound as its maker is.
class IdleThread {
 public:
  IdleThread()
      : thread_([this] {
          while (!stop_.load()) std::this_thread::yield();
        }) {}
  ~IdleThread() {
    stop_.store(true);
    thread_.join();
  }
  IdleThread(const IdleThread&) = delete;
  IdleThread& operator=(const IdleThread&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

TEST_CASE("all threads of a process are moved and come back") {
  const PuSet home = PuSet::of_this_thread();
  const IdleThread idle;
  const PuSet one = some_of(home);
  REQUIRE(move_threads(home, one) == WhyNotMoved::kNone);
  CHECK(PuSet::of_this_thread() == one);
  CHECK(current_pu() == one.members().front());
  CHECK(return_threads(one, home) == WhyNotMoved::kNone);
  CHECK(PuSet::of_this_thread() == home);
}

TEST_CASE("all threads of this process go and come back, and one that is elsewhere forbids it") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;  // nowhere to go
  PuSet one;
  one.add(home.members().front());
  std::atomic<bool> looked{false};
  std::atomic<bool> moved{false};
  std::atomic<bool> bound{false};
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!moved) std::this_thread::yield();
    CHECK(PuSet::of_this_thread() == one);
    looked = true;
    while (!done) std::this_thread::yield();
    PuSet last;
    last.add(home.members().back());
    last.bind_this_thread();
    bound = true;
    while (done) std::this_thread::yield();
  });
  REQUIRE(move_threads(home, one) == WhyNotMoved::kNone);
  moved = true;
  while (!looked) std::this_thread::yield();
  CHECK(return_threads(one, home) == WhyNotMoved::kNone);
  CHECK(PuSet::of_this_thread() == home);
  done = true;
  while (!bound) std::this_thread::yield();
  CHECK(move_threads(home, one) == WhyNotMoved::kBoundItself);
  CHECK(PuSet::of_this_thread() == home);
  PuSet nowhere;
  nowhere.add(8000);
  CHECK(move_threads(home, nowhere) != WhyNotMoved::kNone);
  CHECK(PuSet::of_this_thread() == home);
  done = false;
  other.join();
}

TEST_CASE("nobody is moved where a thread has bound itself, but then the others still come back") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  const PuSet one = some_of(home);
  PuSet other;
  other.add(home.members().back());
  std::atomic<int> state{0};
  std::thread bound([&] {
    one.bind_this_thread();
    state.store(1);
    while (state.load() == 1) std::this_thread::yield();
  });
  while (state.load() == 0) std::this_thread::yield();
  CHECK(move_threads(home, other) == WhyNotMoved::kBoundItself);
  CHECK(PuSet::of_this_thread() == home);
  other.bind_this_thread();
  CHECK(return_threads(other, home) == WhyNotMoved::kBoundItself);
  CHECK(PuSet::of_this_thread() == home);
  state.store(2);
  bound.join();
}

TEST_CASE("each reason but none has a text of its own") {
  CHECK(std::string(text_of(WhyNotMoved::kNone)).empty());
  CHECK(std::string(text_of(WhyNotMoved::kTooShort)) != text_of(WhyNotMoved::kSharedNode));
  for (auto reason = 1U; reason <= static_cast<std::uint32_t>(WhyNotMoved::kSharedNode); ++reason)
    CHECK_FALSE(std::string(text_of(static_cast<WhyNotMoved>(reason))).empty());
}

}  // namespace huddle::recorder
