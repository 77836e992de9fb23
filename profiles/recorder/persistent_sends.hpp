#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/vocabulary/ids.hpp"

namespace huddle::recorder {

/// The sends that were prepared by MPI_Send_init and its kin, from there to MPI_Request_free. Safe
/// from any thread.
class PersistentSends {
 public:
  struct Send {
    Rank receiver;
    std::uint64_t bytes = 0;
  };

  void remember(MPI_Request request, Send send) {
    const std::lock_guard lock(mutex_);
    sends_.insert_or_assign(request, send);
    some_.store(true, std::memory_order_relaxed);
  }
  void forget(MPI_Request request) {
    if (!some_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    sends_.erase(request);
  }
  /// Nothing if `request` is something else, such as a persistent receive.
  std::optional<Send> find(MPI_Request request) {
    if (!some_.load(std::memory_order_relaxed)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto place = sends_.find(request);
    if (place == sends_.end()) return std::nullopt;
    return place->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<MPI_Request, Send> sends_;
  std::atomic<bool> some_{false};  // spares programs without such sends the lock
};

}  // namespace huddle::recorder
