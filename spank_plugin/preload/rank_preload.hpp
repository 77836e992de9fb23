#pragma once

#include <string>
#include <vector>

namespace huddle::preload {

/// The LD_PRELOAD of a rank.
struct RankPreload {
  /// With the recorder in it; empty if the rank must not get it.
  std::string value;
  /// Why not, for people: "./solver has a sanitizer". Empty, too, if the rank starts a container
  /// and asks for the recorder in it: nobody here sees if that is there.
  std::string why_not;
};

/// Decides whether the rank that runs `command`, not empty, gets the recorder. `path` and
/// `preloaded` are its PATH and LD_PRELOAD. Looks at the program with the rights and in the working
/// directory of this process: they must be the rank's.
RankPreload rank_preload(const std::vector<std::string>& command, const std::string& path,
                         const std::string& preloaded, const std::string& recorder);

/// Open MPI reads its MCA parameter orte_fork_agent from here, in mpirun and in its daemons.
inline constexpr const char* kForkAgentVariable = "OMPI_MCA_orte_fork_agent";

/// The words that Open MPI's mpirun is to put before each rank's command.
struct ForkAgent {
  /// The MCA parameter orte_fork_agent; empty if ranks must not get the recorder.
  std::string words;
  /// Why not, for people.
  std::string why_not;
};

/// Lets ranks of an mpirun be started by env(1), with `recorder` and what hands it on in front of
/// `preloaded`, mpirun's own LD_PRELOAD. A second env(1) then starts the program, if that may get
/// them, or takes them out again (exec_handover.cpp). On nodes that lack the libraries, ranks run
/// without. `command` is mpirun's, whose ranks may be given another LD_PRELOAD.
ForkAgent fork_agent(const std::vector<std::string>& command, const std::string& preloaded,
                     const std::string& recorder);

/// PRRTE, which mpirun is from Open MPI 5 on, reads its MCA parameter odls_base_exec_agent from here.
inline constexpr const char* kExecAgentVariable = "PRTE_MCA_odls_base_exec_agent";

/// The same for PRRTE, in whose mpirun nothing of ours is: `recorder` comes behind whatever
/// LD_PRELOAD a rank is given, so that a tool or a sanitizer that must be first stays first. No
/// words where env(1) can't read a variable (coreutils before 8.30).
ForkAgent exec_agent(const std::string& recorder);

/// `paths`, a value of the MCA parameter mca_base_component_path ("" for Open MPI's default), with
/// `folder` added. Folders that Open MPI looks at before it are still looked at where `folder` is
/// missing, as in a container.
std::string component_path_with(const std::string& paths, const std::string& folder);

}  // namespace huddle::preload
