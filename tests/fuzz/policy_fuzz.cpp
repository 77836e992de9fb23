#include "profiles/formats/policy.hpp"

#include "tests/fuzz/fuzz_input.hpp"

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
  } catch (const Error& error) {
    demand(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
