#include "profiles/vocabulary/counted.hpp"

#include <fmt/format.h>

namespace huddle {

std::string counted(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace huddle
