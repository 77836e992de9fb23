#include "spank_plugin/runtime/node_cores.hpp"

#include <cstdint>
#include <utility>

namespace huddle::runtime {
namespace {

// As numbers that can be sent.
std::vector<std::uint32_t> packed(const std::vector<PhysicalCore>& cores) {
  std::vector<std::uint32_t> numbers;
  for (const PhysicalCore& core : cores) {
    const auto pus = static_cast<std::uint32_t>(core.pus.size());
    numbers.insert(numbers.end(), {core.package, core.die, core.numa_node, pus});
    numbers.insert(numbers.end(), core.pus.members().begin(), core.pus.members().end());
  }
  return numbers;
}

std::vector<PhysicalCore> unpacked(const std::vector<std::uint32_t>& numbers) {
  std::vector<PhysicalCore> cores;
  for (std::size_t at = 0; at < numbers.size();) {
    PhysicalCore core{numbers[at], numbers[at + 1], numbers[at + 2], {}};
    const std::size_t end = at + 4 + numbers[at + 3];
    for (at += 4; at < end; ++at) core.pus.add(numbers[at]);
    cores.push_back(std::move(core));
  }
  return cores;
}

}  // namespace

std::vector<PhysicalCore> cores_of_node(const recorder::Channel& node,
                                        const std::filesystem::path& sysfs) {
  std::vector<std::uint32_t> numbers;
  if (node.rank() == 0) numbers = packed(physical_cores(sysfs));
  auto count = static_cast<std::uint32_t>(numbers.size());
  node.broadcast(&count, sizeof count);
  numbers.resize(count);
  node.broadcast(numbers.data(), static_cast<int>(count * sizeof(std::uint32_t)));
  return unpacked(numbers);
}

}  // namespace huddle::runtime
