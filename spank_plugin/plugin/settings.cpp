#include "spank_plugin/plugin/settings.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

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

Policy Settings::policy() const {
  try {
    return load_policy(policy_file_);
  } catch (const SystemError& error) {
    if (error.error_number() == ENOENT && !given_) return Policy::defaults();
    throw;
  }
}

}  // namespace huddle
