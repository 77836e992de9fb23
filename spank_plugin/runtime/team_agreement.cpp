#include "spank_plugin/runtime/team_agreement.hpp"

#include <algorithm>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/runtime/node_cores.hpp"

namespace huddle::runtime {
namespace {

// On the first rank of a node: whether two of its ranks may run on one PU, or nobody knows.
bool overlap(const recorder::Channel& node, const PuSet& own) {
  PuSet taken = own;
  bool shared = own.empty();
  node.collect([&](const std::string& list) {
    try {
      const PuSet others = PuSet::parse(list);
      shared = shared || others.empty() ||
               std::ranges::any_of(others.members(),
                                   [&](std::uint32_t pu) { return taken.contains(pu); });
      for (const std::uint32_t pu : others.members()) taken.add(pu);
    } catch (const Error&) {
      shared = true;
    }
    return true;
  });
  return shared;
}

}  // namespace

TeamAgreement agree_on_teams(const recorder::Channel& channel, const PuSet& own,
                             const std::filesystem::path& sysfs) {
  const recorder::Channel node = channel.node();
  bool shared = false;
  if (node.rank() == 0)
    shared = overlap(node, own);
  else
    node.deliver(own.list());
  shared = node.any_of_all(shared ? 1 : 0) != 0;
  const std::vector<PhysicalCore> cores = cores_of_node(node, sysfs);
  if (shared) return {{}, "ranks of a node may run on the same cores; bind each to its own"};
  return {TeamHome(own, cores)};
}

}  // namespace huddle::runtime
