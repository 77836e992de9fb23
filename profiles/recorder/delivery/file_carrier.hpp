#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

/// The bounds of a courier, as it works outside of the limits of its user's job.
struct CarrierLimits {
  /// Bytes of all files that it makes on behalf of a step. Each counts with its size, holes
  /// included, and with 4 KiB at least; one that is written again counts once, as it was largest.
  std::uint64_t bytes = std::uint64_t{256} << 20U;
  std::uint64_t bytes_per_second = std::uint64_t{32} << 20U;
  /// Seam for tests.
  std::function<void(std::chrono::nanoseconds)> sleep;
};

/// A file is over the limits, which another attempt does not change.
class TooLarge : public Error {
 public:
  using Error::Error;
};

/// Copies files from a spool to a store within limits: in pieces of 1 MiB, none faster than the
/// limit allows, with their holes. What it copies must be a regular file and no link. Owned by one
/// thread.
class FileCarrier {
 public:
  explicit FileCarrier(CarrierLimits limits);

  /// Makes `to` a copy of `from`, which appears whole or not at all, and durable. Throws TooLarge,
  /// and Error where a file can't be read or written, or is cut meanwhile.
  void carry(const std::filesystem::path& from, const std::filesystem::path& to);
  /// The same, but overwrites `to` as it goes: for files whose readers see if they are whole.
  void overwrite(const std::filesystem::path& from, const std::filesystem::path& to);

  /// Waits as long as that many bytes take.
  void pace(std::uint64_t bytes) const;
  [[nodiscard]] const CarrierLimits& limits() const { return limits_; }

 private:
  void charge(const std::filesystem::path& from, const std::filesystem::path& to,
              std::uint64_t size);
  template <class From, class To>
  void copy(const From& from, To& to) const;

  CarrierLimits limits_;
  std::uint64_t charged_ = 0;
  std::map<std::filesystem::path, std::uint64_t> charges_;
};

}  // namespace huddle::recorder
