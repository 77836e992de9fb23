#include <doctest/doctest.h>

#include "spank_plugin/frequency/journal_directory.hpp"
#include "tests/spank_plugin/frequency/node_of_clocks.hpp"

namespace huddle::frequency {
namespace {

using KeptNode = NodeOfClocks;

constexpr const char* kUpper = "scaling_max_freq";

bool nothing_said(const FrequencyReport& report) {
  return report.clean() && report.differences.empty();
}

TEST_CASE("a claim with a keeper says which clocks this may move, and writes the top") {
  KeptNode node("acpi-cpufreq", 4, 2);
  const FrequencyReport report = node.claim_kept(1, 0, "0-3@1-2000000", "0-3");
  CHECK(nothing_said(report));
  CHECK(node.kernel.limits(0) == "1000000-2000000");
  REQUIRE(report.moved.size() == 2);
  CHECK(report.moved[1] == MovedClock{1, PuSet::parse("2-3"), {1000000, 2000000}});
  CHECK(node.journal().find("control 0 scaling_max_freq 3000000 2000000 1000000\n") !=
        std::string::npos);
  CHECK(node.journal().find("keeper 1010 1\n") != std::string::npos);
}

TEST_CASE("whatever a keeper wrote last is Huddle's own, whoever puts it back") {
  for (const char* last : {"1000000", "1700000", "2000000"})
    for (const bool killed : {false, true}) {
      CAPTURE(last);
      KeptNode node;
      node.claim_kept(1, 0, "0-1@1-2000000");
      node.kernel.at(0, kUpper) = last;
      if (killed) node.dead = {10, 1010};
      CHECK(nothing_said(killed ? node.control().sweep() : node.release(1, 0)));
      CHECK(node.is_as_before());
    }
}

TEST_CASE("it is also where the clocks were at the top before") {
  KeptNode node;
  CHECK(node.claim_kept(1, 0, "0@1-3000000").moved.size() == 1);
  CHECK(node.kernel.writes.empty());
  node.kernel.at(0, kUpper) = "1300000";
  node.dead = {10, 1010};
  CHECK(nothing_said(node.control().sweep()));
  CHECK(node.is_as_before());
}

TEST_CASE("killed at any write, what a keeper left before is put back") {
  struct Killed {};
  for (int survived = 0; survived < 6; ++survived) {
    CAPTURE(survived);
    KeptNode node;
    node.claim_kept(1, 0, "0-1@1-2000000");
    node.kernel.at(0, kUpper) = "1100000";
    int writes = 0;
    node.kernel.on_write = [&] {
      if (writes++ == survived) throw Killed();
    };
    try {
      node.release(1, 0);
    } catch (const Killed&) {
    }
    node.kernel.on_write = nullptr;
    node.dead = {10, 1010};
    CHECK(nothing_said(node.control().sweep()));
    CHECK(node.is_as_before());
  }
}

TEST_CASE("what is outside of the range was written by somebody else") {
  KeptNode node;
  node.claim_kept(1, 0, "0@1500000-2000000");
  for (const char* foreign : {"1499999", "2000001"}) {
    node.kernel.at(0, kUpper) = foreign;
    CHECK_FALSE(node.release(1, 0).not_put_back.empty());
    CHECK(node.kernel.at(0, kUpper) == foreign);
  }
}

TEST_CASE("claims elsewhere leave a clock to its keeper") {
  KeptNode node;
  node.claim_kept(1, 0, "0@1-2000000");
  node.kernel.at(0, kUpper) = "1300000";
  const std::string before = node.journal();
  CHECK(nothing_said(node.claim(2, 0, "1@1500000-1500000")));
  CHECK(node.kernel.limits(0) == "1000000-1300000");
  CHECK(nothing_said(node.release(2, 0)));
  CHECK(nothing_said(node.control().sweep()));
  CHECK(node.kernel.limits(0) == "1000000-1300000");
  CHECK(node.journal() == before);
}

TEST_CASE("a keeper ends before its claim is withdrawn") {
  KeptNode node;
  node.claim_kept(1, 0, "0@1-2000000");
  std::size_t dead_at_first_write = 0;
  node.kernel.on_write = [&] {
    if (dead_at_first_write == 0) dead_at_first_write = node.dead.count(1010);
  };
  node.release(1, 0);
  CHECK(dead_at_first_write == 1);
}

TEST_CASE("while a keeper can't be ended, its claim stays, and is withdrawn later") {
  KeptNode node;
  node.claim_kept(1, 0, "0@1-2000000");
  node.kernel.at(0, kUpper) = "1300000";
  node.stubborn = {1010};
  node.dead = {10};
  const FrequencyReport report = node.release(1, 0);
  REQUIRE(report.not_put_back.size() == 1);
  CHECK(report.not_put_back[0].find("process 1010") != std::string::npos);
  CHECK(node.kernel.at(0, kUpper) == "1300000");
  node.stubborn.clear();
  CHECK(nothing_said(node.control().sweep()));
  CHECK(node.is_as_before());
}

TEST_CASE("without its keeper a claim's clocks go to the top") {
  KeptNode node;
  node.claim_kept(1, 0, "0@1-2000000");
  node.kernel.at(0, kUpper) = "1300000";
  node.dead = {1010};
  CHECK(nothing_said(node.control().release([](const Claim&) { return false; })));
  CHECK(node.kernel.limits(0) == "1000000-2000000");
  CHECK(node.journal().find("keeper") == std::string::npos);
  CHECK(nothing_said(node.release(1, 0)));
  CHECK(node.is_as_before());
}

TEST_CASE("who claims a moved clock ends its keeper, and the highest claim holds") {
  KeptNode node("intel_cpufreq", 4, 2);
  node.claim_kept(1, 0, "0-3@1-2000000");
  node.kernel.at(0, kUpper) = node.kernel.at(1, kUpper) = "1300000";
  CHECK(node.claim(2, 0, "1@1500000-2500000").clean());
  CHECK(node.dead.contains(1010));
  CHECK(node.kernel.limits(0) == "1500000-2500000");
  CHECK(node.kernel.limits(1) == "1000000-2000000");
  CHECK(nothing_said(node.release(2, 0)));
  CHECK(node.kernel.limits(0) == "1000000-2000000");
  CHECK(nothing_said(node.release(1, 0)));
  CHECK(node.is_as_before());
}

TEST_CASE("a clock that another step claims is not moved") {
  KeptNode node("intel_cpufreq", 4, 2);
  node.claim(2, 0, "1@1500000-2500000");
  const FrequencyReport report = node.claim_kept(1, 0, "0-3@1-2000000");
  REQUIRE(report.moved.size() == 1);
  CHECK(report.moved[0].policy == 1);
  CHECK(node.kernel.limits(0) == "1500000-2500000");
  CHECK(nothing_said(node.release(1, 0)));
  CHECK(nothing_said(node.release(2, 0)));
  CHECK(node.is_as_before());
}

TEST_CASE("a job's script loses its keeper to the first of its steps") {
  KeptNode node;
  CHECK(node.claim_kept(1, 9, "0-1@1-2000000", "0-1", true).moved.size() == 2);
  node.kernel.at(0, kUpper) = node.kernel.at(1, kUpper) = "1300000";
  CHECK(node.claim_kept(1, 0, "0@1-2500000").moved.size() == 1);
  CHECK(node.dead.contains(1019));
  CHECK(node.kernel.limits(0) == "1000000-2500000");
  CHECK(node.kernel.limits(1) == "1000000-2000000");
  node.kernel.at(0, kUpper) = "1200000";
  CHECK(nothing_said(node.release(1, 0)));
  CHECK(node.kernel.limits(0) == "1000000-2000000");
  CHECK(nothing_said(node.release(1, 9)));
  CHECK(node.is_as_before());
}

TEST_CASE("one frequency leaves nothing to move") {
  KeptNode node;
  CHECK(node.claim_kept(1, 0, "0@1000000-1000000").moved.empty());
  CHECK(node.journal().find("1000000 1000000") == std::string::npos);
  CHECK(nothing_said(node.release(1, 0)));
  CHECK(node.is_as_before());
}

TEST_CASE("with a journal that is locked, keepers are ended before clocks are put back") {
  KeptNode node;
  node.claim_kept(1, 0, "0@1-2000000");
  node.kernel.at(0, kUpper) = "1300000";
  {
    const auto locked = JournalDirectory::open(node.directory(), JournalDirectory::IfAbsent::kLeave,
                                               std::chrono::milliseconds(50));
    CHECK(node.release(1, 0).journal_was_locked);
    CHECK(node.dead.contains(1010));
    CHECK(node.kernel.limits(0) == "1000000-3000000");
  }
  CHECK(nothing_said(node.release(1, 0)));
  CHECK(node.is_as_before());
}

TEST_CASE("what clocks are limited to without claims is what the journal found there") {
  KeptNode node;
  node.before[1][kUpper] = node.kernel.at(1, kUpper) = "2600000";
  node.claim(1, 0, "0-1@1200000-1500000");
  CHECK(node.control().limits_without_claims(PuSet::parse("0-2,60")) ==
        LimitsByPu{{0, {1000000, 3000000}}, {1, {1000000, 2600000}}, {2, {1000000, 3000000}}});
}

}  // namespace
}  // namespace huddle::frequency
