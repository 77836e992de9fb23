#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/processes/process_identity.hpp"

namespace huddle::courier {

/// A courier, as its command line says it to root, and the kernel.
struct CourierProcess {
  processes::ProcessIdentity process;
  /// As the kernel says.
  uid_t user = 0;
  /// "17.0".
  std::string step;
  /// Has a spool; the others are there for the step's energy only.
  bool carries_files = false;
  processes::ProcessIdentity slurmstepd;
};

/// The arguments by which couriers_on_node() knows a courier.
std::vector<std::string> courier_arguments(const std::string& step, bool carries_files,
                                           const processes::ProcessIdentity& slurmstepd);

/// The couriers of this node: processes of that program. For root, who alone sees what program
/// another user's process has. A user may start the program as well, which is then counted as
/// theirs.
std::vector<CourierProcess> couriers_on_node(const std::filesystem::path& program);

/// Those of the user that count against kMostCouriers.
std::vector<CourierProcess> counted_couriers(const std::vector<CourierProcess>& couriers,
                                             uid_t user);

/// Kills the couriers whose step has ended and which are stopped: a signal that its user sends
/// keeps such a process from ending itself. For root. Returns how many.
std::size_t end_stopped_couriers(const std::filesystem::path& program);

}  // namespace huddle::courier
