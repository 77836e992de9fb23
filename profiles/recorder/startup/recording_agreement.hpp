#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/recorder/process/root_marker.hpp"
#include "profiles/recorder/process/run_request.hpp"

namespace huddle::recorder {

/// Finds out whether all ranks of MPI_COMM_WORLD have the recorder, without a collective, in which
/// those that have it would wait for the others for ever. Each rank reports to rank 0; if all have,
/// rank 0 asks for a confirmation, and then gives the go-ahead. Between report and go-ahead a rank
/// may give up, but not silently: so no rank is left alone in what comes after.
///
/// Messages go over MPI_COMM_WORLD, only between ranks that have the recorder. Receives for all
/// that may still arrive after a rank has returned to the program are posted before, where the
/// program's wildcards can't reach it. One thread's; it must live as long as MPI does.
class RecorderHandshake {
 public:
  /// After MPI_Init. Throws Error.
  RecorderHandshake();
  RecorderHandshake(const RecorderHandshake&) = delete;
  RecorderHandshake& operator=(const RecorderHandshake&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// On rank 0: the number of ranks that take part, itself included; the handshake has succeeded if
  /// these are all. `close` is called once, when no more ranks may begin to take part. Throws
  /// Error.
  int lead(const std::function<void()>& close);

  /// On any other rank, which must know that rank 0 leads: whether the handshake has succeeded.
  /// Throws Error.
  bool follow();

  /// Before MPI_Finalize, in any case: cancels receives that nothing has come for.
  void end() noexcept;

 private:
  enum Word : char { kNone, kHere, kAllHere, kConfirmed, kWithdrawn, kGo, kNo };
  // Words that were received from one other rank.
  struct Received {
    Word first = kNone;
    Word second = kNone;
  };

  void post_receives();
  void send(std::size_t peer, Word word);
  // To all peers that have sent `expected`.
  void reply(Word Received::*when, Word expected, Word word);
  [[nodiscard]] int count(Word Received::*when, Word expected) const;

  int rank_ = 0;
  int ranks_ = 1;
  int tag_ = 0;
  // Words by peer: on rank 0 of all others, on the others of rank 0.
  std::vector<Received> received_;
  std::vector<MPI_Request> firsts_;
  std::vector<MPI_Request> seconds_;
  std::vector<MPI_Request> sends_;
};

/// Decides whether a run is recorded: only if all its ranks have the recorder. If some have not,
/// because a node lacks the library or a program is linked statically, no rank records, and the
/// program runs as it would without it. One thread's; it must live as long as MPI does.
class RecordingAgreement {
 public:
  /// Before MPI_Init: rank 0 makes its marker. If that fails, complete() throws.
  RecordingAgreement(const Destination& destination, Launch launch);

  /// After MPI_Init: whether all ranks take part. Not in a spawned world, whose profile would
  /// replace its parent's. Throws Error, on rank 0 also if other ranks are missing.
  bool complete();

  /// True if this rank prints messages for the run: rank 0, as far as that is known yet.
  [[nodiscard]] bool reports() const;

  /// Removes the marker if it is still there.
  void withdraw() noexcept { marker_.withdraw(); }

  /// Before MPI_Finalize.
  void end() noexcept;

 private:
  Launch launch_;
  RootMarker marker_;
  std::string trouble_;  // why rank 0 could not make its marker
  std::optional<RecorderHandshake> handshake_;
};

}  // namespace huddle::recorder
