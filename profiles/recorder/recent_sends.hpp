#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiles/recorder/mpi/communicators.hpp"
#include "profiles/recorder/profile/counters.hpp"

namespace huddle::recorder {

/// Where the counts of a thread's last sends are: programs repeat their sends, and to find the
/// receiver, the size and the place in the table again takes longer than to count. One thread's.
class RecentSends {
 public:
  /// Counts a send like one that was remembered; false if there is none.
  [[gnu::always_inline]] bool count_again(int count, MPI_Datatype type, int to, MPI_Comm comm) {
    const Entry& entry = entries_[place_of(count, to)];
    if (entry.count != count || entry.to != to || entry.type != type || entry.comm != comm ||
        entry.generation != handle_generation.load(std::memory_order_acquire))
      return false;
    return entry.cell.add({1, entry.bytes});
  }

  /// `type` must be one that is never freed.
  void remember(int count, MPI_Datatype type, int to, MPI_Comm comm, std::uint64_t bytes,
                MessageCell cell) {
    entries_[place_of(count, to)] = {
        comm, type, count, to, handle_generation.load(std::memory_order_acquire), bytes, cell};
  }

 private:
  static constexpr std::size_t kEntries = 32;

  struct Entry {
    MPI_Comm comm{};
    MPI_Datatype type{};
    int count = -1;
    int to = 0;
    std::uint64_t generation = 0;
    std::uint64_t bytes = 0;
    MessageCell cell;
  };

  static std::size_t place_of(int count, int to) {
    return (static_cast<std::size_t>(to) ^ static_cast<std::size_t>(count) * 5) % kEntries;
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace huddle::recorder
