#include "spank_plugin/runtime/packing/team_packing.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace huddle::runtime {
namespace {

/// Threads that last, as those of an OpenMP runtime do; the calling thread is number 0.
class Team {
 public:
  explicit Team(std::uint32_t size) : size_(size), barrier_(size) {
    for (std::uint32_t i = 1; i < size; ++i)
      threads_.emplace_back([this, i] {
        while (true) {
          barrier_.arrive_and_wait();
          if (!work_) return;
          work_(i);
          barrier_.arrive_and_wait();
        }
      });
  }
  ~Team() {
    work_ = {};
    barrier_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void run(const std::function<void(std::uint32_t)>& work) {
    work_ = work;
    barrier_.arrive_and_wait();
    work(0);
    barrier_.arrive_and_wait();
  }

  // Where each thread is in a region under `packing`.
  std::vector<std::string> region(TeamPacking& packing, std::uint32_t level = 0) {
    std::vector<std::string> where(size_);
    const std::uint32_t configuration = packing.begin_region(size_, level);
    run([&](std::uint32_t i) {
      packing.follow(configuration, i);
      where[i] = PuSet::of_this_thread().list();
    });
    return where;
  }

 private:
  std::uint32_t size_;
  std::barrier<> barrier_;
  std::function<void(std::uint32_t)> work_;
  std::vector<std::thread> threads_;
};

using Where = std::vector<std::string>;

/// Two of the PUs that this test may use; nothing where it has one only.
struct Machine {
  Machine() {
    const auto& pus = home.members();
    if (pus.size() < 2) return;
    a = pus[0];
    b = pus[1];
    enough = true;
  }
  ~Machine() { home.bind_this_thread(); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  [[nodiscard]] std::string at(std::uint32_t pu) const { return std::to_string(pu); }

  PuSet home = PuSet::of_this_thread();
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool enough = false;
};

}  // namespace

TEST_CASE("the threads of a team go where they are packed, and home again") {
  const Machine here;
  if (!here.enough) return;
  TeamPacking packing;
  Team team(4);
  const Where all_home(4, here.home.list());
  CHECK(team.region(packing) == all_home);
  packing.pack({here.a, here.a, here.b, here.b});
  CHECK(team.region(packing) ==
        Where{here.at(here.a), here.at(here.a), here.at(here.b), here.at(here.b)});
  packing.pack({here.b, here.b, here.b, here.b});
  CHECK(team.region(packing) == Where(4, here.at(here.b)));
  packing.pack({});
  CHECK(team.region(packing) == all_home);
  packing.pack({here.a, here.a, here.a, here.a});
  CHECK(team.region(packing) == Where(4, here.at(here.a)));
  packing.end();
  Where where(4);
  team.run([&](std::uint32_t i) { where[i] = PuSet::of_this_thread().list(); });  // no region
  CHECK(where == all_home);
  CHECK(packing.ended() == TeamPacking::End::kFinished);
  packing.pack({here.a, here.a, here.a, here.a});
  CHECK(team.region(packing) == all_home);
}

TEST_CASE("nested regions, teams of another size and other threads' teams run at home") {
  const Machine here;
  if (!here.enough) return;
  TeamPacking packing;
  Where others;
  std::atomic<bool> goes_on = false;
  // Made now: where this is at home.
  std::thread other([&] {
    goes_on.wait(false);
    others = Team(2).region(packing);
  });
  Team team(2), larger(3);
  packing.pack({here.a, here.a});
  CHECK(team.region(packing) == Where(2, here.at(here.a)));
  CHECK(larger.region(packing) == Where(3, here.home.list()));
  CHECK(team.region(packing, 1) == Where(2, here.home.list()));
  CHECK(team.region(packing) == Where(2, here.at(here.a)));
  goes_on = true;
  goes_on.notify_one();
  other.join();
  CHECK(others == Where(2, here.home.list()));
}

TEST_CASE("a child of fork() is not packed") {
  const Machine here;
  if (!here.enough) return;
  TeamPacking packing;
  packing.pack({here.a});
  packing.follow(packing.begin_region(1, 0), 0);
  CHECK(PuSet::of_this_thread().list() == here.at(here.a));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(PuSet::of_this_thread() == here.home ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a thread that the program binds stays there, and all others are never packed again") {
  const Machine here;
  if (!here.enough) return;
  TeamPacking packing;
  Team team(2);
  packing.pack({here.a, here.a});
  team.region(packing);
  team.run([&](std::uint32_t i) {
    if (i == 1) PuSet::parse(here.at(here.b)).bind_this_thread();
  });
  packing.pack({});
  CHECK(team.region(packing)[1] == here.at(here.b));
  CHECK(packing.ended() == TeamPacking::End::kBoundItself);
  packing.pack({here.a, here.a});
  CHECK(team.region(packing) == Where{here.home.list(), here.at(here.b)});
}

TEST_CASE(
    "places that are not the process's, and more threads than can be packed, are no packing") {
  const Machine here;
  if (!here.enough) return;
  TeamPacking packing;
  Team team(2);
  packing.pack({here.a, PuSet::kLimit - 1});
  CHECK(team.region(packing) == Where(2, here.home.list()));
  packing.pack(std::vector<std::uint32_t>(TeamPacking::kMostThreads + 1, here.a));
  CHECK(team.region(packing) == Where(2, here.home.list()));
  CHECK(packing.ended() == TeamPacking::End::kNone);
}

TEST_CASE("a process with one PU has nothing to pack") {
  const Machine here;
  std::thread([&] {
    PuSet one;
    one.add(here.home.members().front());
    one.bind_this_thread();
    TeamPacking packing;
    CHECK(packing.ended() == TeamPacking::End::kNothingToPack);
    packing.pack({one.members().front()});
    CHECK(packing.begin_region(1, 0) == TeamPacking::kHome);
    CHECK(std::string(TeamPacking::text_of(packing.ended())).find("one core") != std::string::npos);
  }).join();
}

}  // namespace huddle::runtime
