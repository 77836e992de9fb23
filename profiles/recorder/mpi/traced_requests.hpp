#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

struct TracedCommunicator;

/// What a request of a traced rank stands for.
struct TracedRequest {
  enum class Kind : std::uint8_t { kSend, kReceive, kCollective };
  std::uint64_t number = kNoRequest;  ///< of a persistent one: since its last start
  const TracedCommunicator* communicator = nullptr;
  std::uint64_t bytes = 0;       ///< of sends and collectives
  std::uint32_t peer = kNobody;  ///< the receiver, or a collective's root: rank in the trace
  std::uint32_t tag = 0;         ///< of sends
  Kind kind = Kind::kSend;
  Collective collective = Collective::kNone;
  bool persistent = false;
  bool active = true;  ///< of a persistent one: it was started
};

/// The requests of a rank that are on their way, by MPI's handle. MPI libraries use one handle for
/// several sends that ended at once: they come out in the order they went in. Safe from any thread.
class TracedRequests {
 public:
  void add(MPI_Request handle, const TracedRequest& request);
  /// The request has ended: it is forgotten, or inactive if it is persistent. Nothing if it is not
  /// known or not active.
  std::optional<TracedRequest> end(MPI_Request handle) noexcept;
  /// A persistent one begins again, under a new number. Nothing if it is not known.
  std::optional<TracedRequest> start(MPI_Request handle, std::uint64_t number) noexcept;
  void forget(MPI_Request handle) noexcept;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Slot {
    MPI_Request handle{};
    std::uint32_t first = kNone;  // kNone: the slot is free
    std::uint32_t last = kNone;
  };
  struct Entry {
    TracedRequest request;
    std::uint32_t next = kNone;
  };

  [[nodiscard]] std::size_t home_of(MPI_Request handle) const;
  [[nodiscard]] std::size_t slot_of(MPI_Request handle) const;  // its own, or the free one for it
  void remove_first(std::size_t slot);
  void free_slot(std::size_t slot);
  void grow();

  std::mutex mutex_;
  // Open addressing with linear probing; a power of two, never more than half full.
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t used_ = 0;
  std::vector<Entry> entries_;
  std::uint32_t free_entry_ = kNone;
};

}  // namespace huddle::recorder
