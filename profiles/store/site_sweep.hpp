#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/store/retention.hpp"

namespace huddle::store {

/// The outcome of a sweep of a whole store.
struct SiteSweep {
  std::size_t users = 0;    ///< whose parts were looked at
  std::size_t removed = 0;  ///< files of theirs, and folders with what they held
  /// Parts of users who have left, which were removed.
  std::vector<std::filesystem::path> departed;
  /// Sentences about parts that could not be swept, or not whole.
  std::vector<std::string> failures;
};

/// Sweeps the parts of all users of a store, each with its owner's rights (OwnerRights), since the
/// sweeps that come with submissions leave alone who submits no more. A part whose owner is no user
/// of this machine, and in which nothing was written for `retention.age`, goes as a whole; none
/// does if that is 0. For root, in a process without other threads. Throws SystemError if the root
/// of the store can't be listed.
SiteSweep sweep_site(const Store& store, const Retention& retention,
                     std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace huddle::store
