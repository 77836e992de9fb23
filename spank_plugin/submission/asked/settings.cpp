#include "spank_plugin/submission/asked/settings.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>

#include "profiles/files/trusted_file.hpp"
#include "profiles/formats/policy/site_switch.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::submission {

Settings::Settings(int count, char** arguments) {
  constexpr std::string_view kPolicy = "policy=";
  for (int i = 0; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with(kPolicy) || argument.size() == kPolicy.size())
      throw UsageError(fmt::format(
          "plugstack.conf gives spank_huddle.so the argument \"{}\": it takes policy=FILE only",
          shortened(argument)));
    policy_file_ = argument.substr(kPolicy.size());
    given_ = true;
  }
}

Settings::Settings(const std::filesystem::path& policy_file) : given_(!policy_file.empty()) {
  if (given_) policy_file_ = policy_file;
}

template <class Load>
Policy Settings::loaded(Load load) const {
  try {
    return load();
  } catch (const SystemError& error) {
    if (error.error_number() == ENOENT && !given_) return Policy::defaults();
    throw;
  }
}

std::string Settings::why_switched_off(const Policy& policy) const {
  return huddle::why_switched_off(policy, policy_file_);
}

Policy Settings::trusted_policy() const {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;
  return loaded([&] {
    return parse_policy(files::read_trusted_file(policy_file_, kMostBytes), policy_file_.string());
  });
}

}  // namespace huddle::submission
