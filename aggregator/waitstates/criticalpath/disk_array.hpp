#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <type_traits>

#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

namespace huddle {

/// A fixed number of plain values, all bits 0 at first, that need not fit into memory (see
/// MappedBytes).
template <typename T>
class DiskArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DiskArray() = default;
  /// Throws SystemError.
  DiskArray(std::uint64_t size, const std::filesystem::path& folder)
      : bytes_(static_cast<std::size_t>(size) * sizeof(T), folder), size_(size) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] T* data() { return static_cast<T*>(bytes_.data()); }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(bytes_.data()); }
  T& operator[](std::uint64_t index) { return data()[index]; }
  const T& operator[](std::uint64_t index) const { return data()[index]; }

 private:
  MappedBytes bytes_;
  std::uint64_t size_ = 0;
};

}  // namespace huddle
