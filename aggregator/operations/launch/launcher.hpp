#pragma once

// Starts MPI programs with each rank on the cores that a plan gives it, by whichever launcher the
// site has.

#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/operations/launch/program_run.hpp"
#include "profiles/formats/plan/plan.hpp"

namespace huddle::operations {

enum class LauncherKind : std::uint8_t {
  kOpenMpi,   ///< up to 4
  kOpenMpi5,  ///< whose mpirun is PRRTE's
  kMpich,
  kSlurm
};

/// Returns the kind of a launcher, by its first word or, if that does not decide it, by the version
/// that it prints.
LauncherKind kind_of_launcher(const std::vector<std::string>& words);

/// Open MPI's mpirun with a rankfile (from 5 on, ranks bind themselves: PRRTE has other numbers of
/// cores than the operating system), MPICH's mpirun with a host file and PUs, or Slurm's srun with
/// a host file and masks.
class Launcher {
 public:
  /// `command` is the launcher's words with blanks between, such as "mpirun --mca btl tcp,self".
  /// `hosts` become the nodes of plans, in order; none stands for this machine. Throws UsageError
  /// if `command` is empty.
  Launcher(const std::string& command, std::vector<std::string> hosts);

  [[nodiscard]] LauncherKind kind() const { return kind_; }
  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }

  /// Completes `request` by the words that start `program`, each rank on its place of `plan`, and
  /// by the variables that the launcher needs. Every node holds as many ranks on the same PUs, in
  /// the order of their numbers. The
  /// values of the request's variables reach ranks on other nodes, too. Writes a file into `folder`
  /// that must be there until the ranks run.
  void place(RunRequest& request, const Plan& plan, const std::vector<std::string>& program,
             const std::filesystem::path& folder) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::string> hosts_;
  LauncherKind kind_;
};

/// The nodes of the Slurm allocation that this process runs in; empty without one. Throws NotFound
/// if Slurm does not say.
std::vector<std::string> allocated_hosts();

}  // namespace huddle::operations
