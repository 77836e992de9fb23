#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "profiles/files/open_file.hpp"

namespace huddle::store {

/// Where a sweep of a user's part stands between its slices. Times are in seconds since 1970.
struct SweepState {
  static constexpr std::int64_t kPause_s = 3600;
  /// Ages of an hour and more, eight buckets for each doubling, up to 120 years.
  static constexpr std::size_t kBuckets = 8 * 20;

  struct Amount {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };

  std::int64_t begun = 0;  ///< 0: no sweep is under way
  std::int64_t ended = 0;  ///< the last one
  /// The place that was looked at last: a label's folder, a folder of a number of ranks in it, and
  /// what the order of its entries goes by (empty: none yet).
  std::string label;
  std::string ranks;
  std::string entry;
  /// The profile of that folder that stays, if it was asked for (empty: there is none), and the
  /// oldest of those that stay.
  std::optional<std::string> kept;
  std::int64_t kept_written = 0;
  std::optional<std::int64_t> oldest_profile;
  /// The time before which files must have been written to go as too much; 0: nothing is too much.
  std::int64_t cutoff = 0;
  /// Files that stay, and those of them by age that may go if they are too much.
  Amount all;
  std::array<Amount, kBuckets> by_age{};

  [[nodiscard]] bool is_due(std::int64_t now) const;
  void begin(std::int64_t now);
  /// Counts what stays.
  void count(Amount amount, std::int64_t written, bool may_go);
  /// The latest cutoff that leaves no more than that (0: any number); 0 if that is so anyway.
  [[nodiscard]] std::int64_t cutoff_for(Amount most) const;
};

/// The file of the state, locked for the process that sweeps (flock, so a process that ends holds
/// it no more). One thread's.
class SweepFile {
 public:
  /// Throws SystemError if there can't be such a file.
  explicit SweepFile(const std::filesystem::path& part);

  /// False if another process sweeps.
  [[nodiscard]] bool held() const { return held_; }
  /// A new state if there is none, or none that makes sense.
  [[nodiscard]] SweepState read() const;
  /// Throws SystemError.
  void write(const SweepState& state) const;

 private:
  files::OpenFile file_;
  bool held_ = false;
};

/// The state as it is written at this moment, without a lock; nothing if there is no file.
std::optional<SweepState> peek_at_sweep(const std::filesystem::path& part);

}  // namespace huddle::store
