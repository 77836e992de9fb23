#include "spank_plugin/runtime/team_agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/error.hpp"

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

// As numbers that can be sent.
std::vector<std::uint32_t> packed(const std::vector<hardware::PhysicalCore>& cores) {
  std::vector<std::uint32_t> numbers;
  for (const hardware::PhysicalCore& core : cores) {
    const auto pus = static_cast<std::uint32_t>(core.pus.size());
    numbers.insert(numbers.end(), {core.package, core.die, core.numa_node, pus});
    numbers.insert(numbers.end(), core.pus.members().begin(), core.pus.members().end());
  }
  return numbers;
}

std::vector<hardware::PhysicalCore> unpacked(const std::vector<std::uint32_t>& numbers) {
  std::vector<hardware::PhysicalCore> cores;
  for (std::size_t at = 0; at < numbers.size();) {
    hardware::PhysicalCore core{numbers[at], numbers[at + 1], numbers[at + 2], {}};
    const std::size_t end = at + 4 + numbers[at + 3];
    for (at += 4; at < end; ++at) core.pus.add(numbers[at]);
    cores.push_back(std::move(core));
  }
  return cores;
}

// Thousands of small files, which one rank of the node reads for all.
std::vector<hardware::PhysicalCore> cores_of_node(const recorder::Channel& node,
                                                  const std::filesystem::path& sysfs) {
  std::vector<std::uint32_t> numbers;
  if (node.rank() == 0) numbers = packed(hardware::physical_cores(sysfs));
  auto count = static_cast<std::uint32_t>(numbers.size());
  node.broadcast(&count, sizeof count);
  numbers.resize(count);
  node.broadcast(numbers.data(), static_cast<int>(count * sizeof(std::uint32_t)));
  return unpacked(numbers);
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
  const std::vector<hardware::PhysicalCore> cores = cores_of_node(node, sysfs);
  if (shared) return {{}, "ranks of a node may run on the same cores; bind each to its own"};
  return {TeamHome(own, cores)};
}

}  // namespace huddle::runtime
