#pragma once

#include <filesystem>
#include <vector>

namespace huddle {

/// The trace to open for what a user named. Mostly that is `named` itself. But a run that was cut
/// short leaves "<trace>.raw-<run>" and no trace: where the user names that folder, or the trace
/// that would be beside it, the trace is made now, and one line says so. Several processes may ask
/// for the same one: one makes it, the others wait. Throws Error: the run may still go on, several
/// runs left something, there is no trace to be made; SystemError.
std::filesystem::path trace_on_demand(const std::filesystem::path& named);

/// Makes the trace of what a command's run leaves, if that is cut short. One thread's.
class TraceOfCommand {
 public:
  /// Before the command starts, which shall leave its trace at `trace`.
  explicit TraceOfCommand(std::filesystem::path trace);

  /// When it has ended: if there is no trace, but something that the run left, makes the trace of
  /// that, and says so in a line, or why it can't be. Processes of the run that still end are
  /// waited for, some seconds.
  void complete() const noexcept;

 private:
  std::filesystem::path trace_;
  std::vector<std::filesystem::path> before_;  // left by other runs
};

}  // namespace huddle
