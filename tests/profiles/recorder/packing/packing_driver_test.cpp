#include "profiles/recorder/packing/packing_driver.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <thread>

namespace huddle::recorder {
namespace {

using Asked = std::map<std::string, std::string, std::less<>>;

std::unique_ptr<PackingDriver> driver_for(const Asked& variables) {
  return PackingDriver::from(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      true);
}

}  // namespace

TEST_CASE("teams are driven only where the environment asks for it") {
  CHECK(driver_for({}) == nullptr);
  CHECK(driver_for({{"HUDDLE_THREADS", "auto"}}) == nullptr);
  CHECK(driver_for({{"HUDDLE_RUNTIME_SHAKE", "0"}}) == nullptr);
  CHECK(driver_for({{"HUDDLE_THREADS", "pack"}}) != nullptr);
  CHECK(driver_for({{"HUDDLE_RUNTIME_SHAKE", "1"}}) != nullptr);
}

TEST_CASE("a shaken team is elsewhere at each region, and home at the end") {
  const PuSet home = PuSet::of_this_thread();
  if (home.size() < 2) return;
  const auto driver = driver_for({{"HUDDLE_RUNTIME_SHAKE", "1"}, {"GOMP_SPINCOUNT", "300"}});
  std::set<std::string> places;
  for (int i = 0; i < 200; ++i) {
    driver->thread_begins(driver->region_begins(4, 0), 0);
    places.insert(PuSet::of_this_thread().list());
  }
  CHECK(places.size() == home.size() + 1);  // each PU, and anywhere
  CHECK(driver->changes() == 200);
  CHECK(driver->note().empty());
  CHECK(driver->region_begins(4, 1) == TeamPacking::kHome);
  std::thread([&] { CHECK(driver->region_begins(4, 0) == TeamPacking::kHome); }).join();
  CHECK(driver->changes() == 200);
  driver->finish();
  CHECK(PuSet::of_this_thread() == home);
  CHECK(driver->region_begins(4, 0) == TeamPacking::kHome);
  CHECK(driver->note().empty());
}

TEST_CASE("where the user says where threads run nothing is shaken, and a note says why") {
  const PuSet home = PuSet::of_this_thread();
  const auto driver = driver_for(
      {{"HUDDLE_RUNTIME_SHAKE", "1"}, {"GOMP_SPINCOUNT", "300"}, {"OMP_PROC_BIND", "close"}});
  for (int i = 0; i < 50; ++i) {
    driver->thread_begins(driver->region_begins(4, 0), 0);
    CHECK(PuSet::of_this_thread() == home);
  }
  CHECK(driver->note() == "Threads were not packed: OMP_PROC_BIND says where threads run.");
}

}  // namespace huddle::recorder
