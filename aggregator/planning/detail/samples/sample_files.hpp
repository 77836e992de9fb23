#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::planning {

/// Profiles of one program, from which a plan can be made, and the files that they are in, in the
/// same order.
struct Samples {
  std::vector<Profile> profiles;
  std::vector<std::string> files;
};

/// Profiles that are stored of a job.
struct StoredSamples {
  /// One of each program that the newest job ran, the one that took most of its time first; of more
  /// than kMostPrograms, one more than that.
  std::vector<Samples> programs;
  /// Why the first file that could not be used could not; empty if all could.
  std::string passed_over;
};

/// The most programs of one job that plans are made for.
inline constexpr std::size_t kMostPrograms = 8;

/// True if the program was built anew since it had that build; false where no build is known.
bool is_built_anew(const LaunchedProgram& program);

/// The number of nodes that a run had.
std::uint32_t nodes_of(const Profile& profile);

/// The usable ones of stored profiles, `files` being newest first: of each program and problem size
/// of the newest job up to 4 complete ones whose ranks had as many cores as the request's, newest
/// first, of the 64 newest files. If the request names a size or a program, only of that: runs of
/// other sizes, or of an unknown one, are no samples of it. `node`: the node itself.
StoredSamples stored_samples(const std::vector<std::filesystem::path>& files,
                             const PlanRequest& request, const commgraph::NodeTopology& node);

/// Adds those of `files` that are usable, and of a program that there are samples of already.
void add_samples(const std::vector<std::filesystem::path>& files, const PlanRequest& request,
                 const commgraph::NodeTopology& node, std::vector<Samples>& programs);

/// The job as its user submits it comes first: the newest run on as many nodes as are asked for, or
/// else on most. Others were laid out to be samples.
void put_submitted_first(Samples& samples, const PlanRequest& request);

/// The profiles that the request names, all of them, in its order. Throws Error if one can't be
/// used, which says why.
Samples given_samples(const PlanRequest& request, const commgraph::NodeTopology& node);

}  // namespace huddle::planning
