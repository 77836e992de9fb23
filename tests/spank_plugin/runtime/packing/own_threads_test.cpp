#include "spank_plugin/runtime/packing/own_threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace huddle::runtime {

TEST_CASE("threads come home from where they were bound, and one that is elsewhere stays there") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;  // nowhere to go
  PuSet first;
  first.add(home.members().front());
  PuSet last;
  last.add(home.members().back());
  std::atomic<int> state{0};
  PuSet packed_is_on;
  PuSet stranger_is_on;
  const auto bound_to = [&](const PuSet& pus, PuSet& is_on) {
    return std::thread([&] {
      pus.bind_this_thread();
      ++state;
      while (state.load() < 3) std::this_thread::yield();
      is_on = PuSet::of_this_thread();
    });
  };
  std::thread packed = bound_to(first, packed_is_on);
  std::thread stranger = bound_to(last, stranger_is_on);
  while (state.load() < 2) std::this_thread::yield();
  return_threads(first, home);
  state.store(3);
  packed.join();
  stranger.join();
  CHECK(packed_is_on == home);
  CHECK(stranger_is_on == last);
  CHECK(PuSet::of_this_thread() == home);
}

}  // namespace huddle::runtime
