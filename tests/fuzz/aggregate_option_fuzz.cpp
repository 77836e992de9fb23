#include "spank_plugin/submission/asked/aggregate_option.hpp"

#include <cmath>

#include "spank_plugin/submission/asked/submitted_job.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace huddle {
namespace {

// Whatever a user asks for, the site's limits hold.
void check_terms(const submission::AggregateOption& option) {
  Policy policy = Policy::defaults();
  policy.frequency_control = true;
  policy.limits.slowdown = 0.04;
  policy.limits.frequency = FrequencyRange{{1.5e9}, {2e9}};
  policy.limits.modes = {true, true, false, false};
  const submission::SubmittedJob terms = submission::agree_on_terms(option, policy);
  demand(terms.request.slowdown >= 0 && terms.request.slowdown <= 0.04);
  demand(terms.refusal.empty() == policy.limits.allows(terms.mode));
  if (terms.frequency.kind == FrequencyWish::Kind::kRange)
    demand(terms.frequency.range.lowest >= Hertz{1.5e9} &&
           terms.frequency.range.highest <= Hertz{2e9} && !terms.frequency.range.empty());
}

}  // namespace
}  // namespace huddle

/// Any bytes are an option whose values are in range, or a UsageError of one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  try {
    const submission::AggregateOption option =
        submission::parse_aggregate_option(as_text(data, size), "fuzz");
    demand(option.plan.empty() || option.profile.empty());
    demand(!option.size || (*option.size > 0 && std::isfinite(*option.size)));
    check_terms(option);
    submission::AggregateOption defaults;
    defaults.mode = Mode::kAdvise;
    defaults.plan = "/p";
    check_terms(option.with_defaults(defaults));
  } catch (const UsageError& error) {
    demand(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
