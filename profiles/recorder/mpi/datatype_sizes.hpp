#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {

/// The sizes of datatypes, one thread's. Predefined types are never freed and so are remembered.
class DatatypeSizes {
 public:
  /// Bytes of data in `count` elements of `type`, which must be valid.
  std::uint64_t bytes(int count, MPI_Datatype type) {
    const Entry& entry = entries_[place_of(type)];
    const std::uint64_t size = entry.known && entry.type == type ? entry.size : look_up(type);
    return static_cast<std::uint64_t>(count) * size;
  }

  /// Whether `type`, whose size was asked for before, is predefined.
  [[nodiscard]] bool is_lasting(MPI_Datatype type) const {
    const Entry& entry = entries_[place_of(type)];
    return entry.known && entry.type == type;
  }

 private:
  static constexpr std::size_t kEntries = 16;

  struct Entry {
    MPI_Datatype type{};
    bool known = false;
    std::uint64_t size = 0;
  };

  // Predefined types are objects of 512 bytes, or numbers that differ in their low bytes.
  static std::size_t place_of(MPI_Datatype type) {
    const std::size_t hash = std::hash<MPI_Datatype>{}(type);
    return (hash ^ (hash >> 9U)) % kEntries;
  }

  std::uint64_t look_up(MPI_Datatype type) {
    MPI_Count size = 0;
    HUDDLE_REAL(Type_size_x)(type, &size);
    if (size < 0) size = 0;  // MPI_UNDEFINED
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_UNDEFINED;
    HUDDLE_REAL(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
      entries_[place_of(type)] = {type, true, static_cast<std::uint64_t>(size)};
    return static_cast<std::uint64_t>(size);
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace huddle::recorder
