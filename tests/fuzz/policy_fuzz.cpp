#include "profiles/formats/policy/policy.hpp"

#include "tests/fuzz/fuzz_input.hpp"

namespace huddle {
namespace {

// Nobody is beyond a limit, whatever tables there are.
void check_everybody(const Policy& policy) {
  SubmitterIdentity submitter;
  for (const auto& [name, rules] : policy.partitions) submitter.partitions.push_back(name);
  for (const auto& [name, rules] : policy.groups) submitter.groups.push_back(name);
  if (!policy.accounts.empty()) submitter.account = policy.accounts.begin()->first;
  const Policy own = policy.for_submitter(submitter);
  demand(own.limits.least_nodes >= policy.limits.least_nodes);
  demand(own.limits.allows(Mode::kOff));
  demand(own.slowdown <= own.limits.slowdown.value_or(1));
  if (own.frequency.kind == FrequencyWish::Kind::kRange) demand(!own.frequency.range.empty());
}

}  // namespace
}  // namespace huddle

/// Any bytes are a policy whose values are in range, or an Error of one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const std::string_view text = as_text(data, size);
  if (const auto share = parse_share(text)) demand(*share >= 0 && *share <= 1);
  try {
    const Policy policy = parse_policy(text, "fuzz");
    demand(policy.slowdown >= 0 && policy.slowdown <= 1);
    demand(mode_of(name_of(policy.mode)) == policy.mode);
    demand(!policy.profiles_directory.empty() && !policy.huddle.empty());
    demand(policy.limits.allows(Mode::kOff) && policy.limits.least_nodes >= 1);
    check_everybody(policy);
  } catch (const Error& error) {
    demand(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
