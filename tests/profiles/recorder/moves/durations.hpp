#pragma once

#include <cstdint>

namespace huddle::recorder {

// In nanoseconds.
inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::uint64_t kMillisecond = 1'000'000;

}  // namespace huddle::recorder
