#pragma once

// The programs that one `huddle record` recorded, which may be several: each has its own profile,
// and its own trace.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace huddle::store {

/// The profile or trace of the program that began as the n-th one, from 1, where `first` is that of
/// the first one: p.json, p-2.json, ...
std::filesystem::path file_of_run(const std::filesystem::path& first, std::uint32_t number);

/// A program that began to be recorded.
struct RecordedRun {
  std::uint32_t ranks = 0;
  /// Its executable, without line ends.
  std::string program;

  friend bool operator==(const RecordedRun&, const RecordedRun&) = default;
};

/// A file beside a profile, to which rank 0 of each program adds a line when it begins. `huddle
/// record` makes it and removes it; where it is not, each program has the profile's own name.
class RunList {
 public:
  explicit RunList(const std::filesystem::path& profile);

  /// Makes the file, empty. Throws SystemError.
  void make() const;
  void remove() const noexcept;
  /// Adds a program; returns its number, and 1 if there is no list or it can't be written. Waits
  /// for others of this machine that do the same.
  [[nodiscard]] std::uint32_t add(const RecordedRun& run) const noexcept;
  /// In the order in which they began; none if it can't be read.
  [[nodiscard]] std::vector<RecordedRun> runs() const;

 private:
  std::filesystem::path file_;
};

}  // namespace huddle::store
