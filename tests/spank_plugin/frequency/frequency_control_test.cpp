#include "spank_plugin/frequency/frequency_control.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "spank_plugin/frequency/journal_directory.hpp"
#include "tests/spank_plugin/frequency/node_of_clocks.hpp"

namespace huddle::frequency {
namespace {

namespace fs = std::filesystem;
using Node = NodeOfClocks;

bool silent(const FrequencyReport& report) {
  for (const auto* lines : {&report.differences, &report.failures, &report.not_put_back})
    for (const std::string& line : *lines) MESSAGE(line);
  return report.differences.empty() && report.failures.empty() && report.not_put_back.empty();
}

TEST_CASE("a claim limits its PUs and no other, and its end puts back what was there") {
  for (const char* driver : {"acpi-cpufreq", "intel_cpufreq", "intel_pstate", "amd-pstate",
                             "amd-pstate-epp", "cppc_cpufreq"}) {
    CAPTURE(driver);
    Node node(driver);
    CHECK(silent(node.claim(1, 0, "1-2@1500000-2000000")));
    CHECK(node.kernel.limits(1) == "1500000-2000000");
    CHECK(node.kernel.limits(0) == "1000000-3000000");
    CHECK(silent(node.release(1, 0)));
    CHECK(node.is_as_before());
  }
}

TEST_CASE("the parts of a heterogeneous job on one node, which have one number, keep apart") {
  Node node;
  const processes::ProcessIdentity first{4711, 1};
  const processes::ProcessIdentity second{4712, 1};
  node.control().claim({7, 0, false, first, parse_limits_by_pu("0@1500000-2000000")},
                       PuSet::parse("0"));
  node.control().claim({7, 0, false, second, parse_limits_by_pu("1@1800000-2200000")},
                       PuSet::parse("1"));
  CHECK(node.kernel.limits(0) == "1500000-2000000");
  CHECK(node.kernel.limits(1) == "1800000-2200000");
  node.control().release([&](const Claim& claim) { return claim.owner == first; });
  CHECK(node.kernel.limits(0) == "1000000-3000000");
  CHECK(node.kernel.limits(1) == "1800000-2200000");
  node.control().release([&](const Claim& claim) { return claim.owner == second; });
  CHECK(node.is_as_before());
}

TEST_CASE("governors and preferences are put back, too") {
  Node governed;
  governed.before[0]["scaling_governor"] = governed.kernel.at(0, "scaling_governor") = "powersave";
  CHECK(silent(governed.claim(1, 0, "0@1500000-2000000")));
  CHECK(governed.kernel.at(0, "scaling_governor") == "schedutil");
  CHECK(silent(governed.release(1, 0)));
  CHECK(governed.is_as_before());

  Node autonomous("intel_pstate");
  const std::string file = "energy_performance_preference";
  autonomous.before[0][file] = autonomous.kernel.at(0, file) = "power";
  CHECK(silent(autonomous.claim(1, 0, "0@1500000-2000000")));
  CHECK(autonomous.kernel.at(0, file) == "balance_performance");
  CHECK(silent(autonomous.claim(1, 1, "0@2000000-2000000")));
  CHECK(silent(autonomous.release(1, 0)));
  CHECK(autonomous.kernel.at(0, file) == "power");  // one frequency does not need it
  CHECK(silent(autonomous.release(1, 1)));
  CHECK(autonomous.is_as_before());
}

TEST_CASE("the journal is complete before the first write") {
  Node node;
  std::string at_first_write;
  node.kernel.on_write = [&] {
    if (at_first_write.empty()) at_first_write = node.journal();
  };
  node.claim(1, 0, "0@1500000-2000000");
  CHECK(at_first_write.find("control 0 scaling_max_freq 3000000 2000000") != std::string::npos);
  CHECK(at_first_write.find("control 0 scaling_min_freq 1000000 1500000") != std::string::npos);
  CHECK(at_first_write.find("claim 1 0 step 10 1 0@1500000-2000000") != std::string::npos);
}

TEST_CASE("killed at any write, what is left is put back by whoever comes next") {
  struct Killed {};
  for (int survived = 0; survived < 8; ++survived) {
    CAPTURE(survived);
    Node node;
    int writes = 0;
    node.kernel.on_write = [&] {
      if (writes++ == survived) throw Killed();
    };
    CHECK_THROWS_AS(node.claim(1, 0, "0-3@1500000-2000000"), Killed);
    node.kernel.on_write = nullptr;
    node.dead = {10};
    CHECK(silent(node.control().sweep()));
    CHECK(node.is_as_before());
  }
}

TEST_CASE("killed while it puts back, the rest is put back by whoever comes next") {
  struct Killed {};
  for (int survived = 0; survived < 8; ++survived) {
    CAPTURE(survived);
    Node node;
    node.claim(1, 0, "0-3@1500000-2000000");
    int writes = 0;
    node.kernel.on_write = [&] {
      if (writes++ == survived) throw Killed();
    };
    CHECK_THROWS_AS(node.release(1, 0), Killed);
    node.kernel.on_write = nullptr;
    node.dead = {10};
    CHECK(silent(node.control().sweep()));
    CHECK(node.is_as_before());
  }
}

TEST_CASE("a living claim is not swept") {
  Node node;
  node.claim(1, 0, "0@1500000-2000000");
  CHECK(silent(node.control().sweep()));
  CHECK(node.kernel.limits(0) == "1500000-2000000");
}

TEST_CASE("a step takes the place of its job's script while it lives") {
  Node node;
  node.claim(1, 9, "0-3@2000000-2500000", "0-3", true);
  node.claim(1, 0, "0-1@1500000-1500000");
  CHECK(node.kernel.limits(1) == "1500000-1500000");
  CHECK(node.kernel.limits(2) == "2000000-2500000");
  CHECK(silent(node.release(1, 0)));
  CHECK(node.kernel.limits(1) == "2000000-2500000");
  CHECK(silent(node.release(1, 9)));
  CHECK(node.is_as_before());
}

TEST_CASE("a dead step's cores go back to its job's script with the next claim on the node") {
  Node node;
  node.claim(1, 9, "0@2000000-2500000", "0-3", true);
  node.claim(1, 0, "0@1500000-1500000");
  node.dead = {10};
  CHECK(silent(node.claim(2, 0, "3@2000000-2000000", "3")));
  CHECK(node.kernel.limits(0) == "2000000-2500000");
}

TEST_CASE("a node without cpufreq says so") {
  Node node("intel_cpufreq", 0);
  const FrequencyReport report = node.claim(1, 0, "0@1500000-1500000");
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].find("no cpufreq") != std::string::npos);
  CHECK_FALSE(fs::exists(node.directory()));
}

TEST_CASE("one control that fails does not stop the rest, and is tried again") {
  Node node;
  node.claim(1, 0, "0-3@1500000-2000000");
  node.kernel.broken = {{1, "scaling_max_freq"}};
  const FrequencyReport report = node.release(1, 0);
  REQUIRE(report.not_put_back.size() == 1);
  CHECK(report.not_put_back[0].find("policy1/scaling_max_freq") != std::string::npos);
  for (const std::uint32_t policy : {0U, 2U, 3U})
    CHECK(node.kernel.limits(policy) == "1000000-3000000");
  node.kernel.broken.clear();
  CHECK(silent(node.control().sweep()));
  CHECK(node.is_as_before());
}

TEST_CASE("a write without effect is reported, and leaves nothing to put back") {
  Node node;
  node.kernel.ignored = {{0, "scaling_max_freq"}, {0, "scaling_min_freq"}};
  const FrequencyReport report = node.claim(1, 0, "0@1500000-2000000");
  REQUIRE(report.failures.size() == 2);
  CHECK(report.failures[0] ==
        "cpufreq/policy0/scaling_min_freq is 1000000 though 1500000 was written to it");
  CHECK(node.journal().find("control") == std::string::npos);
  node.release(1, 0);
  CHECK(node.is_as_before());
}

TEST_CASE("what the kernel rounds is reported, and known again as ours") {
  Node node;
  node.kernel.round_down_to = 100000;
  const FrequencyReport report = node.claim(1, 0, "0@1510000-2070000");
  CHECK(node.kernel.limits(0) == "1500000-2000000");
  CHECK_FALSE(report.differences.empty());
  CHECK(silent(node.release(1, 0)));
  CHECK(node.is_as_before());
}

TEST_CASE("what somebody else has changed meanwhile is left to them") {
  Node node;
  node.claim(1, 0, "0-1@1500000-2000000");
  node.kernel.at(0, "scaling_max_freq") = "2600000";
  const FrequencyReport report = node.release(1, 0);
  REQUIRE(report.not_put_back.size() == 1);
  CHECK(report.not_put_back[0].find("policy0/scaling_max_freq is left at 2600000") !=
        std::string::npos);
  CHECK(node.kernel.limits(0) == "1000000-2600000");
  CHECK(node.kernel.limits(1) == "1000000-3000000");
  CHECK(node.journal().find("control 1") == std::string::npos);
  node.control().sweep();  // slurmd's start gives it up
  CHECK_FALSE(fs::exists(node.journal_file()));
  CHECK(node.kernel.limits(0) == "1000000-2600000");
}

TEST_CASE("what somebody else has changed for a while only is put back after that") {
  Node node;
  node.claim(1, 0, "0@1500000-2000000");
  node.kernel.at(0, "scaling_max_freq") = "1600000";  // heat, or a step with Slurm's --cpu-freq
  CHECK(node.release(1, 0).not_put_back.size() == 1);
  node.claim(2, 0, "1@1500000-2000000");
  node.kernel.at(0, "scaling_max_freq") = "2000000";  // what Huddle wrote shows again
  CHECK(silent(node.release(2, 0)));
  CHECK(node.is_as_before());
}

TEST_CASE("where the journal can't be written no frequency is changed") {
  Node node;
  std::ofstream(node.directory()) << "a file where the directory should be";
  const FrequencyReport report = node.claim(1, 0, "0@1500000-2000000");
  REQUIRE(report.failures.size() == 1);
  CHECK(node.kernel.writes.empty());
}

TEST_CASE("a journal that can't be written is no reason to keep limits") {
  Node node;
  node.claim(1, 0, "0@1500000-2000000");
  // Neither a new journal can be made nor the old one removed, also by root.
  const std::string text = node.journal();
  fs::create_directories(fs::path(node.journal_file().string() + ".new") / "in-the-way");
  node.claim(2, 0, "1@1500000-2000000", "1");
  CHECK(node.kernel.limits(1) == "1000000-3000000");
  const FrequencyReport report = node.release(1, 0);
  CHECK(report.not_put_back.empty());
  CHECK(node.kernel.files() == node.before);
}

TEST_CASE("a stale journal does no harm") {
  Node node;
  node.claim(1, 0, "0@1500000-2000000");
  const std::string stale = node.journal();
  node.release(1, 0);
  node.kernel.at(0, "scaling_max_freq") = "2800000";  // the administrator's
  std::ofstream(node.journal_file()) << stale;
  node.dead = {10};
  node.control().sweep();
  CHECK(node.kernel.limits(0) == "1000000-2800000");
  CHECK_FALSE(fs::exists(node.journal_file()));
}

TEST_CASE("a damaged journal is kept aside and slows no core") {
  Node node;
  fs::create_directory(node.directory());
  fs::permissions(node.directory(), fs::perms::owner_all);
  std::ofstream(node.journal_file()) << "huddle frequency journal 1\nboot b007\n"
                                        "control 0 scaling_max_freq 1000000 3000000\n";
  const FrequencyReport report = node.control().sweep();
  REQUIRE(report.failures.size() == 1);
  CHECK(node.kernel.writes.empty());
  CHECK(fs::exists(node.directory() / "frequencies.broken"));
  CHECK_FALSE(fs::exists(node.journal_file()));
}

TEST_CASE("a journal that was cut off puts back what it still names, the rest as the hardware is") {
  Node node;
  node.kernel.at(2, "scaling_max_freq") = "2900000";
  node.before = node.kernel.files();
  node.claim(1, 0, "0-2@1500000-2000000");
  const std::string whole = node.journal();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    std::ofstream(node.journal_file()) << whole.substr(0, size);
    node.dead = {10};
    const FrequencyReport report = node.control().sweep();
    CHECK(report.not_put_back.empty());
    CHECK_FALSE(report.clean());
    CHECK(node.kernel.limits(0) == "1000000-3000000");
    CHECK(node.kernel.limits(1) == "1000000-3000000");
    const std::string last = node.kernel.limits(2);
    CHECK((last == "1000000-2900000" || last == "1000000-3000000"));
    CHECK(node.kernel.at(3, "scaling_max_freq") == "3000000");
    CHECK(fs::exists(node.directory() / "frequencies.broken"));
    CHECK_FALSE(fs::exists(node.journal_file()));
    node.dead.clear();
    node.kernel.at(2, "scaling_max_freq") = "2900000";
    node.claim(1, 0, "0-2@1500000-2000000");
  }
}

TEST_CASE("a claim that a damaged journal still names keeps its limits until it ends") {
  Node node;
  node.claim(1, 0, "0-1@1500000-2000000");
  std::string text = node.journal();
  const auto broken = text.find("control 0 scaling_max");
  text[broken] = 'X';
  std::ofstream(node.journal_file()) << text;
  CHECK_FALSE(node.control().sweep().clean());
  CHECK(node.kernel.limits(0) == "1500000-2000000");
  CHECK(node.kernel.limits(1) == "1500000-2000000");
  CHECK(node.release(1, 0).clean());
  CHECK(node.is_as_before());
}

TEST_CASE("a journal that another process keeps locked does not keep clocks low") {
  Node node;
  node.claim(1, 0, "0-1@1500000-2000000");
  node.claim(2, 0, "1@1800000-2200000");
  {
    const auto held = JournalDirectory::open(node.directory(), JournalDirectory::IfAbsent::kLeave,
                                             std::chrono::milliseconds(0));
    CHECK_FALSE(node.claim(3, 0, "3@1500000-1500000").clean());
    CHECK(node.kernel.limits(3) == "1000000-3000000");
    const FrequencyReport report = node.release(1, 0);
    CHECK(report.journal_was_locked);
    CHECK(report.failures.size() == 1);
    CHECK(node.kernel.limits(0) == "1000000-3000000");
    CHECK(node.kernel.limits(1) == "1800000-2200000");  // the other's
    CHECK(node.journal().find("claim 1 0") != std::string::npos);
  }
  CHECK(node.release(1, 0).clean());
  CHECK(node.release(2, 0).clean());
  CHECK(node.is_as_before());
}

TEST_CASE("a journal from before the machine was started anew is dropped") {
  Node node;
  node.claim(1, 0, "0@1500000-2000000");
  node.boot = "b008";
  node.kernel.writes.clear();
  node.control().sweep();
  CHECK(node.kernel.writes.empty());
  CHECK_FALSE(fs::exists(node.journal_file()));
}

TEST_CASE("a CPU that is switched off meanwhile is reported and the rest put back") {
  Node node;
  node.claim(1, 0, "0-1@1500000-2000000");
  node.kernel.remove_policy(0);
  const FrequencyReport report = node.release(1, 0);
  CHECK(report.not_put_back.size() == 1);
  CHECK(node.kernel.limits(1) == "1000000-3000000");
}

TEST_CASE("the same step may claim again") {
  Node node;
  node.claim(1, 0, "0@1500000-2000000");
  node.claim(1, 0, "1@1500000-2000000");
  CHECK(node.kernel.limits(0) == "1000000-3000000");
  CHECK(node.kernel.limits(1) == "1500000-2000000");
  node.release(1, 0);
  CHECK(node.is_as_before());
}

}  // namespace
}  // namespace huddle::frequency
