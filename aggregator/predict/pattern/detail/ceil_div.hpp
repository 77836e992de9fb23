#pragma once

#include <cstdint>

namespace huddle::predict {

/// `number` / `by`, rounded up.
constexpr std::uint32_t ceil_div(std::uint32_t number, std::uint32_t by) {
  return (number + by - 1) / by;
}

}  // namespace huddle::predict
