#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {

/// A duplicate of MPI_COMM_WORLD that only the recorder uses, on which errors are returned. It
/// lives until MPI_Finalize. One thread's.
class Channel {
 public:
  /// Collective over MPI_COMM_WORLD. Throws Error.
  Channel();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// Everywhere the `size` bytes that rank 0 has. Collective. Throws Error.
  void share_from_root(void* data, int size) const;

  /// The bits that are set on any rank. Collective; nobody gets it before all have called it.
  /// Throws Error.
  [[nodiscard]] std::uint32_t joined(std::uint32_t bits) const;

  /// The ranks that share memory with this one. Collective. Throws Error.
  [[nodiscard]] Channel of_node() const;

  /// Those ranks that say `in`, in order; nothing on the others. Collective. Throws Error.
  [[nodiscard]] std::optional<Channel> of_those(bool in) const;

  /// `size` bytes to or from one rank, which does the opposite. Throw Error.
  void tell(int rank, const void* data, int size) const;
  void hear(int rank, void* data, int size) const;

  /// On all ranks but 0: hands `piece` to rank 0 when that asks for it, or drops it if rank 0 does
  /// not want it. Throws Error.
  void deliver(std::string_view piece) const;

  /// On rank 0: calls take(piece) with what the others deliver, by rank, one piece at a time. Once
  /// `take` returns false, what is left is refused. Throws Error.
  void collect(const std::function<bool(const std::string& piece)>& take) const;

 private:
  explicit Channel(MPI_Comm comm);
  void ask(int rank, bool wanted) const;
  [[nodiscard]] std::string receive(int rank) const;

  MPI_Comm comm_{};
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace huddle::recorder
