#pragma once

#include <string>

namespace huddle {

/// What becomes of a rank's LD_PRELOAD.
struct RankPreload {
  /// With the recorder in it; empty if the rank must not get it.
  std::string value;
  /// Why not, for people: "./solver has a sanitizer".
  std::string why_not;
};

/// Decides whether the rank that runs `command` gets the recorder. `path` and `preloaded` are its
/// PATH and LD_PRELOAD. Looks at the program with the rights and in the working directory of this
/// process: they must be the rank's.
RankPreload rank_preload(const std::string& command, const std::string& path,
                         const std::string& preloaded, const std::string& recorder);

/// The MCA parameter orte_fork_agent that lets Open MPI's mpirun start each rank by `starter`, the
/// path of huddle_rank_start, on nodes that have it, and by itself on others. Empty if the path has
/// characters that Open MPI or the shell would split or interpret.
std::string fork_agent(const std::string& starter);

/// `paths`, a value of the MCA parameter mca_base_component_path ("" for Open MPI's default), with
/// `folder` added. Folders that Open MPI looks at before it are still looked at where `folder` is
/// missing, as in a container.
std::string component_path_with(const std::string& paths, const std::string& folder);

}  // namespace huddle
