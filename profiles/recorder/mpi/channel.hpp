#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {

/// A duplicate of MPI_COMM_WORLD that only the recorder uses, on which errors are returned. It
/// lives until MPI_Finalize. Who waits for a message, a broadcast or bits leaves its core to
/// others. One thread's.
class Channel {
 public:
  /// Collective over MPI_COMM_WORLD. Throws Error.
  Channel();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// Gives all ranks the `size` bytes that rank 0 has. Collective. Throws Error.
  void broadcast(void* data, int size) const;
  /// Returns rank 0's `text` on all ranks; less than 2 GiB. Collective. Throws Error.
  [[nodiscard]] std::string broadcast(std::string text) const;

  /// The bits that are set on any rank. Collective; nobody gets it before all have called it.
  /// Throws Error.
  [[nodiscard]] std::uint32_t any_of_all(std::uint32_t bits) const;

  /// The ranks that share memory with this one. Collective. Throws Error.
  [[nodiscard]] Channel node() const;

  /// The ranks for which `in` is true, in order; nothing on the others. Collective. Throws Error.
  [[nodiscard]] std::optional<Channel> subset(bool in) const;

  /// `size` bytes to or from one rank, which does the opposite. Throw Error.
  void send(int rank, const void* data, int size) const;
  void receive(int rank, void* data, int size) const;
  /// The same with a text of any length.
  void send(int rank, std::string_view text) const;
  [[nodiscard]] std::string receive(int rank) const;

  /// On all ranks but 0: hands `text` to rank 0 when that asks for it, or drops it if rank 0 does
  /// not want it. Throws Error.
  void deliver(std::string_view text) const;

  /// On rank 0: calls take(text) with what the others deliver, by rank, one text at a time. Once
  /// `take` returns false, the rest is refused. Throws Error.
  void collect(const std::function<bool(const std::string& text)>& take) const;

 private:
  explicit Channel(MPI_Comm comm);

  MPI_Comm comm_{};
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace huddle::recorder
