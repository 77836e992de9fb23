#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::planning {

/// Held by the process that makes a plan, so that many submissions make it once. A file beside the
/// plan, locked by the system (flock): a process that ends, however it does, holds it no more. The
/// file counts how often the plan was begun; done() removes it. One thread's.
class PlanLock {
 public:
  /// Throws SystemError if there can't be such a file: the folder is missing, or somebody else's.
  explicit PlanLock(const std::filesystem::path& plan);

  /// True if this process may make the plan; false if another one is at it.
  [[nodiscard]] bool held() const { return held_; }
  /// Number of times that it was begun by now and never done. 0 unless held.
  [[nodiscard]] std::uint32_t attempts() const { return attempts_; }
  /// Counts one more, on disk before it returns. Precondition: held. Throws SystemError.
  void begin();
  /// The plan is there, or it is known that there is none. Precondition: held.
  void done();

  /// The file for this plan.
  static std::filesystem::path file_for(const std::filesystem::path& plan);

 private:
  std::filesystem::path file_;
  files::OwnedDescriptor descriptor_;
  bool held_ = false;
  std::uint32_t attempts_ = 0;
};

/// Held by the one process of a user that makes plans, of whatever jobs: many jobs that each need a
/// plan of their own must not start as many processes that compute. A file in the user's part of
/// the store, locked as that of a PlanLock. One thread's.
class PlannerLock {
 public:
  /// Waits until `deadline` while another process holds it, or not at all if that has passed.
  /// Throws SystemError if there can't be such a file.
  PlannerLock(const std::filesystem::path& part, std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] bool held() const { return held_; }

 private:
  files::OwnedDescriptor descriptor_;
  bool held_ = false;
};

}  // namespace huddle::planning
