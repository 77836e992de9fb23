#include "profiles/vocabulary/pluralize.hpp"

#include <fmt/format.h>

namespace huddle {

std::string pluralize(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string pluralize(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace huddle
