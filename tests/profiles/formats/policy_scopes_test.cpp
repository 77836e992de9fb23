// The scopes of a policy: different partitions, accounts and groups.

#include <doctest/doctest.h>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

Policy policy_for(const char* text, const SubmitterIdentity& submitter) {
  return parse_policy(text, "huddle.toml").for_submitter(submitter);
}

constexpr const char* kScopes = R"(
mode = "off"
slowdown = "5%"
[partition.debug]
mode = "profile"
slowdown = "10%"
risk = "interval"
objective = "time"
frequency.policy = "auto"
[account.climate]
mode = "advise"
slowdown = "8%"
[group.pilots]
mode = "auto"
)";

TEST_CASE("the more specific of two defaults wins: group, account, partition, site") {
  CHECK(policy_for(kScopes, {}).mode == Mode::kOff);
  CHECK(policy_for(kScopes, {{"debug"}, "", {}}).mode == Mode::kProfile);
  CHECK(policy_for(kScopes, {{"debug"}, "climate", {}}).mode == Mode::kAdvise);
  const Policy all = policy_for(kScopes, {{"debug"}, "climate", {"users", "pilots"}});
  CHECK(all.mode == Mode::kAuto);
  CHECK(all.slowdown == doctest::Approx(0.08));
  CHECK(all.whole_interval);
  CHECK(all.objective == Objective::kTime);
  CHECK(all.frequency.kind == FrequencyWish::Kind::kAuto);
}

TEST_CASE("names of others change nothing, and the result holds no tables") {
  const Policy policy = policy_for(kScopes, {{"batch"}, "chemistry", {"users"}});
  CHECK(policy.mode == Mode::kOff);
  CHECK(policy.slowdown == doctest::Approx(0.05));
  CHECK(policy.partitions.empty());
  CHECK(policy.accounts.empty());
  CHECK(policy.groups.empty());
}

TEST_CASE("of several partitions or groups the first one's defaults count") {
  const char* text = R"(
[partition.a]
slowdown = "1%"
[partition.b]
slowdown = "2%"
mode = "auto"
[group.g]
objective = "edp"
[group.h]
objective = "time"
)";
  const Policy policy = policy_for(text, {{"a", "b"}, "", {"h", "g"}});
  CHECK(policy.slowdown == doctest::Approx(0.01));
  CHECK(policy.mode == Mode::kAuto);
  CHECK(policy.objective == Objective::kTime);
}

TEST_CASE("limits combine to the strictest of all that hold for a job") {
  const char* text = R"(
[limits]
modes = ["profile", "advise", "auto"]
slowdown = "10%"
frequency = "1GHz-3GHz"
[partition.debug.limits]
modes = ["auto", "profile"]
slowdown = "20%"
least_nodes = 4
[account.climate]
limits = { slowdown = "3%", frequency = "2GHz-4GHz" }
[group.pilots.limits]
modes = ["auto"]
least_nodes = 2
)";
  const Limits limits = policy_for(text, {{"debug"}, "climate", {"pilots"}}).limits;
  CHECK(limits.allowed_modes() == "off, auto");
  CHECK(limits.allows(Mode::kAuto));
  CHECK_FALSE(limits.allows(Mode::kProfile));
  CHECK(limits.forbidder_of(Mode::kProfile) == "group pilots");
  CHECK(limits.forbidder_of(Mode::kAdvise) == "partition debug");
  CHECK(limits.forbidder_of(Mode::kAuto) == "");
  CHECK(limits.slowdown == doctest::Approx(0.03));
  CHECK(limits.frequency == FrequencyRange{{2e9}, {3e9}});
  CHECK(limits.least_nodes == 4);
}

TEST_CASE("the limits of all partitions that a job may run in hold") {
  const char* text = R"(
[partition.a.limits]
slowdown = "2%"
[partition.b.limits]
least_nodes = 3
)";
  const Limits limits = policy_for(text, {{"a", "b"}, "", {}}).limits;
  CHECK(limits.slowdown == doctest::Approx(0.02));
  CHECK(limits.least_nodes == 3);
}

TEST_CASE("defaults are cut to the limits") {
  const char* text = R"(
slowdown = "20%"
frequency.policy = "1GHz-4GHz"
[limits]
slowdown = "4%"
frequency = "2GHz-3GHz"
[partition.slow.limits]
frequency = "0.5GHz-0.8GHz"
)";
  const Policy site = policy_for(text, {});
  CHECK(site.slowdown == doctest::Approx(0.04));
  CHECK(site.frequency.range == FrequencyRange{{2e9}, {3e9}});
  // No frequency is within both limits: then none is set.
  const Policy slow = policy_for(text, {{"slow"}, "", {}});
  CHECK(slow.limits.frequency->empty());
  CHECK(slow.frequency == FrequencyWish{});
}

TEST_CASE("a table for a partition must be a table of tables") {
  for (const char* text : {"partition = 1", "[partition]\ndebug = \"auto\"", "[[group]]",
                           "[account.x.frequency]\njournal = \"/x\"", "partition.x.limits = 3"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(parse_policy(text, "f")), FormatError);
  }
  CHECK(parse_policy("[partition]\n[account.\"a b.c\"]\nmode = \"auto\"", "f")
            .for_submitter({{}, "a b.c", {}})
            .mode == Mode::kAuto);
}

}  // namespace
}  // namespace huddle
