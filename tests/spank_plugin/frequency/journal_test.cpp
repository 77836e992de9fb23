#include "spank_plugin/frequency/journal.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::frequency {
namespace {

Journal example() {
  Journal journal;
  journal.boot = "5f0c-12";
  journal.controls = {{{3, Control::kMost}, {"3000000", "1800000"}},
                      {{3, Control::kGovernor}, {"powersave", "schedutil"}}};
  journal.claims = {{17, 0, false, {4711, 890123}, {{3, {1200000, 1800000}}}},
                    {17, 4294967291, true, {4700, 890000}, {{3, {1, 2}}, {4, {1, 2}}}}};
  return journal;
}

constexpr const char* kHead = "huddle frequency journal 1\nboot 5f0c-12\n";

TEST_CASE("a journal is read as it was written") {
  CHECK(text_of(example()) ==
        "huddle frequency journal 1\nboot 5f0c-12\n"
        "control 3 scaling_governor powersave schedutil\n"
        "control 3 scaling_max_freq 3000000 1800000\n"
        "claim 17 0 step 4711 890123 3@1200000-1800000\n"
        "claim 17 4294967291 job 4700 890000 3-4@1-2\nend\n");
  CHECK(parse_journal(text_of(example()), "j") == example());
  CHECK(parse_journal(text_of(Journal{}), "j") == Journal{});
}

TEST_CASE("a journal that was cut off anywhere is refused") {
  const std::string whole = text_of(example());
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(parse_journal(whole.substr(0, size), "j"), FormatError);
}

TEST_CASE("what Huddle would not write is refused") {
  for (const char* line :
       {"control 3 scaling_setspeed 3 2",
        "control 3 ../../../../etc/shadow 3 2",
        "control 3 scaling_max_freq 3000000",
        "control 3 scaling_max_freq 3000000 fast",
        "control 3 scaling_max_freq -1 1",
        "control 3 scaling_max_freq 0 1",
        "control 3 scaling_max_freq 3000000 1800000 1800000",
        "control 3 scaling_max_freq 3000000 1800000 0",
        "control 3 scaling_max_freq 3000000 1800000 -1",
        "control 3 scaling_max_freq 3000000 1800000 low",
        "control 3 scaling_max_freq 3000000 1800000 1200000 7",
        "control 3 scaling_min_freq 3000000 1800000 1200000",
        "control 3 scaling_governor powersave schedutil 1200000",
        "control 3 scaling_governor a/b c",
        "control 3 scaling_governor powersave averyveryverylongwordthatnogovernorhas",
        "control -3 scaling_max_freq 3 2",
        "control 70000 scaling_max_freq 3 2",
        "control  3 scaling_max_freq 3 2",
        "claim 1 2 thread 3 4 0@1-2",
        "claim 1 2 step 3 4",
        "claim 1 2 step 3 4 0@2-1",
        "claim 1 2 step x 4 0@1-2",
        "claim 1 2 step 3 4 0@1-2 5",
        "claim 1 2 step 3 4 0@1-2 keeper",
        "claim 1 2 step 3 4 0@1-2 keeper 5",
        "claim 1 2 step 3 4 0@1-2 keeper 5 x",
        "claim 1 2 step 3 4 0@1-2 keeper 4294967296 6",
        "claim 1 2 step 3 4 0@1-2 keeper 5 6 7",
        "claim 4294967296 2 step 3 4 0@1-2",
        "note",
        "",
        " "}) {
    CAPTURE(line);
    CHECK_THROWS_AS(parse_journal(std::string(kHead) + line + "\nend\n", "j"), FormatError);
  }
  const std::string twice = "control 3 scaling_max_freq 3 2\n";
  CHECK_NOTHROW(parse_journal(kHead + twice + "end\n", "j"));
  CHECK_THROWS_AS(parse_journal(kHead + twice + twice + "end\n", "j"), FormatError);
  CHECK_THROWS_AS(parse_journal(std::string(kHead) + "end\nmore\n", "j"), FormatError);
  CHECK_THROWS_AS(parse_journal("huddle frequency journal 2\nboot a\nend\n", "j"), FormatError);
  CHECK_THROWS_AS(parse_journal("huddle frequency journal 1\nboot ../x\nend\n", "j"), FormatError);
}

TEST_CASE("a refusal names the line") {
  CHECK_THROWS_WITH_AS(parse_journal(std::string(kHead) + "end\nmore\n", "/j"),
                       doctest::Contains("/j: line 4"), FormatError);
}

TEST_CASE("a keeper and what it may write are read as they were written") {
  Journal journal = example();
  journal.controls[{3, Control::kMost}].lowest = "1200000";
  journal.claims[0].keeper = processes::ProcessIdentity{4725, 890207};
  CHECK(text_of(journal) ==
        "huddle frequency journal 1\nboot 5f0c-12\n"
        "control 3 scaling_governor powersave schedutil\n"
        "control 3 scaling_max_freq 3000000 1800000 1200000\n"
        "claim 17 0 step 4711 890123 3@1200000-1800000 keeper 4725 890207\n"
        "claim 17 4294967291 job 4700 890000 3-4@1-2\nend\n");
  CHECK(parse_journal(text_of(journal), "j") == journal);
  CHECK(readable_part_of(text_of(journal), "") == journal);
  const std::string whole = text_of(journal);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(parse_journal(whole.substr(0, size), "j"), FormatError);
}

TEST_CASE("of an upper limit that a keeper moves, the range is Huddle's own and nothing else") {
  const SavedValue fixed{"3000000", "1800000"};
  CHECK(fixed.may_have_written("1800000"));
  CHECK_FALSE(fixed.may_have_written("1700000"));
  const SavedValue moved{"3000000", "1800000", "1200000"};
  for (const char* own : {"1200000", "1500000", "1800000"}) CHECK(moved.may_have_written(own));
  for (const char* foreign : {"1199999", "1800001", "3000000", "", "fast", "-1"})
    CHECK_FALSE(moved.may_have_written(foreign));
}

Claim claim_of(std::uint32_t job, bool whole_job, const LimitsByPu& limits) {
  return {job, 0, whole_job, {}, limits};
}

TEST_CASE("a clock that nobody claims is wanted by nobody") {
  CHECK_FALSE(wanted_limits({}, PuSet::parse("0-3")));
  CHECK_FALSE(wanted_limits({claim_of(1, false, {{7, {1, 2}}})}, PuSet::parse("0-3")));
}

TEST_CASE("a step comes before its own job's script, also if it wants less") {
  const Claim script = claim_of(1, true, {{0, {5, 9}}, {1, {5, 9}}});
  const Claim step = claim_of(1, false, {{0, {2, 3}}});
  CHECK(wanted_limits({script, step}, PuSet::parse("0")) == ClockLimits{2, 3});
  CHECK(wanted_limits({script, step}, PuSet::parse("1")) == ClockLimits{5, 9});
}

TEST_CASE("among jobs, and among steps of one job, the highest holds") {
  const Claim one = claim_of(1, false, {{0, {2, 7}}});
  const Claim other = claim_of(1, false, {{0, {3, 5}}});
  const Claim another_job = claim_of(2, true, {{0, {1, 8}}});
  CHECK(wanted_limits({one, other}, PuSet::parse("0")) == ClockLimits{3, 7});
  CHECK(wanted_limits({one, other, another_job}, PuSet::parse("0")) == ClockLimits{3, 8});
}

TEST_CASE("a clock is moved if a claim with a keeper holds there") {
  Claim kept = claim_of(1, true, {{0, {5, 9}}, {1, {5, 9}}});
  kept.keeper = processes::ProcessIdentity{7, 1};
  const Claim step = claim_of(1, false, {{0, {2, 3}}});
  CHECK(is_moved({kept}, PuSet::parse("0")));
  CHECK_FALSE(is_moved({kept}, PuSet::parse("2")));
  CHECK_FALSE(is_moved({kept, step}, PuSet::parse("0")));  // it gives way
  CHECK(is_moved({kept, step}, PuSet::parse("0-1")));
  CHECK_FALSE(is_moved({step}, PuSet::parse("0")));
}

TEST_CASE("where PUs share a clock, the highest of them holds") {
  const Claim claim = claim_of(1, false, {{0, {2, 3}}, {1, {4, 6}}});
  CHECK(wanted_limits({claim}, PuSet::parse("0-3")) == ClockLimits{4, 6});
}

}  // namespace
}  // namespace huddle::frequency
