#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Profiles that a plan can be made from, and the files that they are in, in the same order.
struct Samples {
  std::vector<Profile> profiles;
  std::vector<std::string> files;
  /// Why the first file that could not be used could not; empty if all could.
  std::string passed_over;
};

/// How many nodes a run had.
std::uint32_t nodes_of(const Profile& profile);

/// The usable ones of stored profiles, `files` being newest first: up to 4 complete ones of the
/// newest one's program and problem size whose ranks had as many cores as the request's, newest
/// first, of the 64 newest files. If the request names a size, only of that size: runs of other
/// sizes, or of an unknown one, are no samples of it. `node`: the node itself.
Samples stored_samples(const std::vector<std::filesystem::path>& files, const PlanRequest& request,
                       const NodeTopology& node);

/// The job as its user submits it comes first: the newest run on as many nodes as are asked for, or
/// else on most. Others were laid out to be samples.
void put_submitted_first(Samples& samples, const PlanRequest& request);

/// The profiles that the request names, all of them, in its order. Throws Error if one can't be
/// used, which says why.
Samples given_samples(const PlanRequest& request, const NodeTopology& node);

}  // namespace huddle
