#pragma once

// Notices by which the plugin, as root, tells huddle-energyd which steps run on a node: a file for
// each, in a directory of root's. So nothing waits for the daemon, and what was announced while it
// was away is still there when it comes back.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/hardware/attribution/energy_ledger.hpp"
#include "profiles/processes/process_identity.hpp"

namespace huddle::energyd {

/// Where the files are; the functions take it as an argument for tests.
inline constexpr const char* kStepNotices = "/run/huddle/steps";

/// A step that runs on this node.
struct StepNotice {
  power::StepId id;
  power::StepPlace place;
  /// The step is over at its end, whatever happens to the file.
  processes::ProcessIdentity slurmstepd;

  friend bool operator==(const StepNotice&, const StepNotice&) = default;
};

/// Lines, the last of which is "end".
std::string text_of(const StepNotice& notice);
/// Reads that form. Throws FormatError; `source` is what errors call the text.
StepNotice parse_step_notice(std::string_view text, std::string_view source);

/// Puts the file of a step there, for nobody but root and who may read everything: it tells who
/// runs what. Makes the last two folders of `directory`. Throws Error if that belongs to somebody
/// else or others may write to it, or SystemError.
void announce(const StepNotice& notice, const std::filesystem::path& directory = kStepNotices);
/// Takes it away. Throws nothing: the end of its slurmstepd says the same.
void withdraw(const power::StepId& step,
              const std::filesystem::path& directory = kStepNotices) noexcept;

/// The same for all steps of a job.
void withdraw_job(std::uint32_t job,
                  const std::filesystem::path& directory = kStepNotices) noexcept;

/// The steps that were announced and whose slurmstepd lives, in order. Files that can't be read are
/// left out. Empty if others than root or this user may write to the directory. `alive` is for
/// tests. Throws std::bad_alloc only.
std::vector<StepNotice> announced_steps(
    const std::filesystem::path& directory = kStepNotices,
    bool (*alive)(const processes::ProcessIdentity&) = processes::is_alive);

}  // namespace huddle::energyd
