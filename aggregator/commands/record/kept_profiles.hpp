#pragma once

// Profiles that the programs of one command have left.

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/store/recorded_runs.hpp"

namespace huddle::cli {

/// "app, 16 ranks", for people.
std::string words_of(const store::RecordedRun& program);

/// Watches which profiles appear while a command runs. The list of its programs is there as long as
/// this object.
class KeptProfiles {
 public:
  /// Throws UsageError if nothing can be written beside `profile`.
  explicit KeptProfiles(const std::filesystem::path& profile);
  ~KeptProfiles();
  KeptProfiles(const KeptProfiles&) = delete;
  KeptProfiles& operator=(const KeptProfiles&) = delete;

  /// Lines for people about what was kept of the programs that began, and what was not and why:
  /// none where one program left its profile, as always. `interrupted`: by Ctrl-C.
  [[nodiscard]] std::vector<std::string> lines(bool interrupted) const;
  /// Programs that began, in that order; none if the list of them is gone.
  [[nodiscard]] std::vector<store::RecordedRun> programs() const { return list_.runs(); }
  /// Files that were written, in the order in which their programs began.
  [[nodiscard]] std::vector<std::filesystem::path> written() const;
  /// True if no program began, and no profile was written.
  [[nodiscard]] bool are_none() const;

 private:
  [[nodiscard]] bool is_written(std::uint32_t number) const;

  std::filesystem::path profile_;
  store::RunList list_;
  std::filesystem::file_time_type before_;  // of the profile; the least if it was not there
  std::filesystem::file_time_type began_;   // by the clock of the profile's file system
};

}  // namespace huddle::cli
