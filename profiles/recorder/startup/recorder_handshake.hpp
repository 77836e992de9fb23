#pragma once

#include <functional>
#include <vector>

#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {

/// Finds out whether all ranks of MPI_COMM_WORLD have the recorder, without a collective, in which
/// those that have it would wait for the others for ever. Each rank tells rank 0 that it is here;
/// if all did, rank 0 has them confirm, and then lets them go on. Between "here" and "go" a rank
/// may lose patience, but not silently: so nobody is left alone in what comes after.
///
/// Messages go over MPI_COMM_WORLD, between ranks that have the recorder only. All that may still
/// come when a rank has returned to the program has its receive posted before, where the program's
/// wildcards can't reach it. One thread's; it must live as long as MPI does.
class RecorderHandshake {
 public:
  /// After MPI_Init. Throws Error.
  RecorderHandshake();
  RecorderHandshake(const RecorderHandshake&) = delete;
  RecorderHandshake& operator=(const RecorderHandshake&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// On rank 0: the number of ranks that take part, itself included. The roll call is won if these
  /// are all. `close` is called once, when no more ranks may begin to answer. Throws Error.
  int call(const std::function<void()>& close);

  /// On any other rank, which must know that rank 0 calls: whether the roll call is won. Throws
  /// Error.
  bool answer();

  /// Before MPI_Finalize, in any case: gives up receives that nobody needed.
  void end() noexcept;

 private:
  enum Word : char { kNone, kHere, kAllHere, kConfirmed, kWithdrawn, kGo, kNo };
  // What is heard from one other rank.
  struct Heard {
    Word first = kNone;
    Word second = kNone;
  };

  void listen();
  void tell(std::size_t peer, Word word);
  void tell_all_who(Word Heard::*when, Word said, Word word);
  [[nodiscard]] int count(Word Heard::*when, Word said) const;

  int rank_ = 0;
  int ranks_ = 1;
  int tag_ = 0;
  // By peer: of rank 0 all others, of the others rank 0.
  std::vector<Heard> heard_;
  std::vector<MPI_Request> firsts_;
  std::vector<MPI_Request> seconds_;
  std::vector<MPI_Request> told_;
};

}  // namespace huddle::recorder
