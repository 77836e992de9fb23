#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::courier {

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

/// The order that slurmstepd gives the courier of its step, on the courier's standard input.
struct CourierOrder {
  /// Whose rights the courier takes before it touches any file.
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
  /// The folder that it makes for the ranks of this node, and removes when the step is over, and
  /// the root of their store, in the user's words: absolute paths. Empty: the step's ranks leave no
  /// profile.
  std::string spool;
  std::string store;
  /// Where the step's energy on this node goes; empty: it is not recorded. `outcome` is the
  /// promised outcome in the user's words (kOutcomeWord), of which it takes the key, and
  /// `outcome_store` the root of its store.
  std::string outcome_store;
  std::string outcome;
  std::uint32_t job = 0;
  std::uint32_t step = 0;
  /// For so long it goes on after the step, and not longer, whatever hangs.
  std::uint32_t seconds_after_step = std::chrono::seconds(kMostTimeAfterStep).count();

  friend bool operator==(const CourierOrder&, const CourierOrder&) = default;
};

/// Lines, the last of which is "end". Throws Error if what a user wrote has a character that a line
/// can't hold, or a path is not absolute: it must not become another line.
std::string text_of(const CourierOrder& order);

/// Reads that form. Throws Error.
CourierOrder parse_courier_order(std::string_view text);

}  // namespace huddle::courier
