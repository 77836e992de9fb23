#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/process_identity.hpp"

namespace huddle::detached {

/// As Slurm writes it without the job: "0", "batch", "interactive", "extern".
inline std::string bare_step_name(std::uint32_t step) {
  constexpr std::uint32_t kBatchScript = 0xfffffffb;  // SLURM_BATCH_SCRIPT
  constexpr std::uint32_t kInteractive = 0xfffffffa;  // SLURM_INTERACTIVE_STEP
  constexpr std::uint32_t kExtern = 0xfffffffc;       // SLURM_EXTERN_CONT
  if (step == kBatchScript) return "batch";
  if (step == kInteractive) return "interactive";
  if (step == kExtern) return "extern";
  return std::to_string(step);
}

/// "17.0", "17.batch".
inline std::string step_name(std::uint32_t job, std::uint32_t step) {
  return std::to_string(job) + "." + bare_step_name(step);
}

/// The most bytes that a socket takes at once; larger orders are refused.
inline constexpr std::size_t kMostOrderBytes = std::size_t{64} << 10U;
/// The first line of each order. Where Huddle is upgraded or downgraded while a step starts, the
/// program is of another version than who starts it, and refuses an order that it may not know.
inline constexpr std::string_view kOrderVersion = "huddle " HUDDLE_VERSION "\n";
/// Its answers: ready, or that refusal and its own version as a line.
inline constexpr char kReady = 'r';
inline constexpr char kOtherVersion = 'v';

/// A process of Huddle's own beside a step, as the slurmstepd that starts it sees it: it no longer
/// belongs to slurmstepd once this object exists, and neither waits for the other (decision 0017).
/// Its standard input is a connection to this object, which ends with it, and with slurmstepd.
class DetachedProcess {
 public:
  /// Starts `program`, which must be this process's user's own and which nobody else may write to,
  /// with `arguments` and no environment, sends it `order`, and waits until it is ready, at most
  /// `patience`. The program forks, ends the parent (orphaned_process.hpp), and answers one byte
  /// when it is ready. Throws Error if it can't be started, is of another version, or is not ready
  /// by then.
  DetachedProcess(const std::filesystem::path& program, std::vector<std::string> arguments,
                  const std::string& order,
                  std::chrono::milliseconds patience = std::chrono::seconds(2));

  /// Sends one byte: what the order says may begin.
  void begin();
  /// Sends another order and waits for another byte. Throws Error if none comes by then, or the
  /// process has ended.
  void tell(const std::string& order, std::chrono::milliseconds patience = std::chrono::seconds(2));
  /// Ends the connection, and waits until the process has ended its side, as it does at its own
  /// end; at most `patience`.
  void end(std::chrono::milliseconds patience) noexcept;

  /// The process that answered, as the kernel says; number 0 if it has ended already.
  [[nodiscard]] const processes::ProcessIdentity& identity() const { return identity_; }

 private:
  std::string program_;
  processes::ProcessIdentity identity_;
  files::OwnedDescriptor connection_;
};

// The other end of a DetachedProcess: what the program does that it starts. The connection is the
// standard input.

/// Goes on in a child that belongs to nobody; the parent ends. False if there can be none.
bool became_orphan();

/// Reads the order, lines the last of which is "end". Nothing if the connection ends, the order is
/// too long or of another version (which it answers), or it is not whole within `patience`.
std::optional<std::string> read_order(
    std::chrono::milliseconds patience = std::chrono::milliseconds(2000));

/// Answers that this process is ready. False if nobody listens any more.
bool say_ready();

}  // namespace huddle::detached
