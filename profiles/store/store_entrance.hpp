#pragma once

#include <chrono>
#include <string>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/store/store.hpp"

namespace huddle::store {

/// Held by a process in the background while it opens what it is going to change in the store. Of a
/// user and a store there is one on this machine: where the file system takes no changes, the
/// process that waits for it, which may be beyond any signal, keeps others from waiting beside it.
/// It is a socket with a name in this machine's memory, and no file, which could be on a file
/// system that does not answer either. A process that ends, however it does, holds it no more. One
/// thread's.
class StoreEntrance {
 public:
  using Clock = std::chrono::steady_clock;

  /// Waits until `deadline` while another process of this user holds it, or not at all if that has
  /// passed. Counts as held where there can't be such a socket, or somebody else has taken its
  /// name.
  StoreEntrance(const Store& store, Clock::time_point deadline);

  [[nodiscard]] bool held() const { return held_; }

  /// The socket's name for this user and this store.
  static std::string name_for(const Store& store);

 private:
  files::OwnedDescriptor socket_;
  bool held_ = false;
};

}  // namespace huddle::store
