#pragma once

// The records of runs in a store, of one user or of all.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/operations/accounting/job_report.hpp"
#include "profiles/store/store.hpp"

namespace huddle::operations {

/// Since when, and before when, runs began; absent: at any time.
struct Period {
  std::optional<UtcTime> since;
  std::optional<UtcTime> until;

  [[nodiscard]] bool holds(UtcTime time) const {
    return (!since || time >= *since) && (!until || time < *until);
  }
};

/// The records of a user's runs.
struct StoredRuns {
  /// Runs outside of the period are there, too, but not wanted.
  std::vector<ReportedRun> runs;
  /// Number of records that could not be read, and the reason of the first one.
  std::size_t passed_over = 0;
  std::string first_error;
};

/// Reads the records in `store`, those of one `label` if it is given; whatever they say, they are
/// `user`'s. Root reads them with the user's rights (OwnerRights). `progress(done, all)` counts
/// records. Throws what Store::outcomes() throws.
StoredRuns stored_runs(const store::Store& store, const std::string& user,
                       const std::optional<std::string>& label, const Period& period,
                       const std::function<void(std::size_t, std::size_t)>& progress);

/// The records of all users, and of those whose records could not be read at all, why.
struct StoredRunsOfAll : StoredRuns {
  std::size_t users_read = 0;
  std::vector<std::string> unread_users;
  /// The reason of the first one.
  std::string first_unread;
  /// See StoredUsers.
  std::vector<std::filesystem::path> folders_passed_over;
};

/// The same for all users who have a part in `store`. Throws SystemError if the store can't be
/// listed.
StoredRunsOfAll stored_runs_of_all(const store::Store& store,
                                   const std::optional<std::string>& label, const Period& period,
                                   const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace huddle::operations
