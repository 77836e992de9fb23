#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace huddle {

// Limits of couriers, which work for users outside of the limits of their jobs. How much one may
// carry, and how fast, CarrierLimits says: 256 MiB for a step and node, 32 MiB/s.

/// On a node, of one user: that carry files, or whose step has ended. Further steps get none, and
/// are not measured. With what each may carry, a user has 4 GiB at most on their way from a node.
inline constexpr std::size_t kMostCouriers = 16;
/// Until it is killed by its own alarm, from when its step has ended.
inline constexpr std::chrono::minutes kMostTimeAfterStep{5};
/// Bytes of addresses.
inline constexpr std::uint64_t kMostCourierMemory = std::uint64_t{512} << 20U;
/// Beside that it reads and writes when no other process does (the idle class of I/O).
inline constexpr int kCourierNice = 10;

}  // namespace huddle
