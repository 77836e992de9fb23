#include "spank_plugin/submission/asked/submitted_job.hpp"

#include <doctest/doctest.h>

namespace huddle::submission {
namespace {

using Remarks = std::vector<std::string>;

SubmittedJob terms_of(std::string_view option, const Policy& policy) {
  return agree_on_terms(parse_aggregate_option(option, "option"), policy);
}

Policy with_control() {
  Policy policy = Policy::defaults();
  policy.frequency_control = true;
  return policy;
}

TEST_CASE("without the option the site's mode holds; with it auto, unless it says another") {
  Policy policy = Policy::defaults();
  policy.mode = Mode::kAdvise;
  CHECK(agree_on_terms({}, policy).mode == Mode::kAdvise);
  CHECK_FALSE(agree_on_terms({}, policy).asked);
  CHECK(terms_of("", policy).mode == Mode::kAuto);
  CHECK(terms_of("slowdown=3%", policy).mode == Mode::kAuto);
  CHECK(terms_of("profile", policy).mode == Mode::kProfile);
}

TEST_CASE("what the user says comes before the site's defaults") {
  Policy policy = Policy::defaults();
  policy.samples = 2;
  const SubmittedJob terms = terms_of("slowdown=20%,objective=time,samples=1", policy);
  CHECK(terms.request.slowdown == doctest::Approx(0.2));
  CHECK(terms.request.objective == Objective::kTime);
  CHECK(terms.request.samples == 1);
  CHECK(terms.remarks.empty());
}

TEST_CASE("what is beyond a limit is cut to it, and the user is told") {
  Policy policy = with_control();
  policy.limits.slowdown = 0.05;
  policy.limits.frequency = FrequencyRange{{1.5e9}, {2e9}};
  policy.limits.least_nodes = 3;
  const SubmittedJob terms = terms_of("slowdown=10%,frequency=1.2-2.4GHz", policy);
  CHECK(terms.request.slowdown == 0.05);
  CHECK(terms.frequency.range == FrequencyRange{{1.5e9}, {2e9}});
  CHECK(terms.request.least_nodes == 3);
  CHECK(terms.remarks == Remarks{"slowdown 10 % cut to the site's limit of 5 %",
                                 "frequencies are cut to the site's limit"});
}

TEST_CASE("a mode that the site does not allow is refused with those that it does") {
  Policy policy = Policy::defaults();
  policy.limits.modes = {true, true, false, false};
  CHECK(terms_of("auto", policy).refusal ==
        "by site policy (mode auto is not allowed, only off, profile)");
  policy.limits.forbidden_by[static_cast<std::size_t>(Mode::kAuto)] = "partition debug";
  CHECK(terms_of("auto", policy).refusal ==
        "by site policy (partition debug: mode auto is not allowed, only off, profile)");
  CHECK(terms_of("profile", policy).refusal == "");
  CHECK(terms_of("off", policy).refusal == "");
}

TEST_CASE("what is measured on request is traced on request") {
  const Policy policy = Policy::defaults();
  CHECK(terms_of("profile,trace=on", policy).trace);
  CHECK(terms_of("profile,trace=on", policy).remarks.empty());
  CHECK_FALSE(terms_of("profile", policy).trace);
  CHECK_FALSE(terms_of("trace=on", policy).trace);
  CHECK(terms_of("trace=on", policy).remarks ==
        Remarks{"it is not traced: only mode profile traces"});
  CHECK(terms_of("profile,trace=off", policy).remarks.empty());
}

TEST_CASE("frequencies are kept where the site does not let them be set, and who asks is told") {
  const Policy policy = Policy::defaults();
  const SubmittedJob asked = terms_of("frequency=auto", policy);
  CHECK(asked.frequency == FrequencyWish{});
  CHECK(asked.remarks == Remarks{"frequencies are kept: this site does not let jobs set them"});
  CHECK(terms_of("frequency=keep", policy).remarks.empty());
  Policy by_default = policy;
  by_default.frequency = {FrequencyWish::Kind::kAuto};
  CHECK(terms_of("auto", by_default).remarks.empty());
  CHECK(terms_of("auto", by_default).frequency == FrequencyWish{});
}

TEST_CASE("a range outside of the site's limit is not set") {
  Policy policy = with_control();
  policy.limits.frequency = FrequencyRange{{1.5e9}, {2e9}};
  const SubmittedJob terms = terms_of("frequency=3GHz", policy);
  CHECK(terms.frequency == FrequencyWish{});
  CHECK(terms.remarks ==
        Remarks{"frequencies are kept: 3 GHz is outside of the site's limit of 1.5 GHz to 2 GHz"});
  policy.limits.frequency = FrequencyRange{{2e9}, {1e9}};
  CHECK(terms_of("frequency=auto", policy).frequency == FrequencyWish{});
}

TEST_CASE("a plan's frequencies are cut to the limit") {
  const FrequencyRange limit{{1.5e9}, {2e9}};
  CHECK(within_limit({{1e9}, {3e9}}, limit) == limit);
  CHECK(within_limit({{1e9}, {1e9}}, limit) == FrequencyRange{{1.5e9}, {1.5e9}});
  CHECK(within_limit({{1e9}, {3e9}}, std::nullopt) == FrequencyRange{{1e9}, {3e9}});
  CHECK_FALSE(within_limit({{1e9}, {3e9}}, FrequencyRange{{2e9}, {1e9}}).has_value());
}

}  // namespace
}  // namespace huddle::submission
