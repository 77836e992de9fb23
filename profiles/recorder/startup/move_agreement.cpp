#include "profiles/recorder/startup/move_agreement.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "profiles/recorder/process/clocks.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

// Reasons as bits, so that those of all ranks can be combined.
std::uint32_t bit(WhyNotMoved reason) {
  return reason == WhyNotMoved::kNone ? 0 : 1U << static_cast<std::uint32_t>(reason);
}

WhyNotMoved highest(std::uint32_t bits) {
  return static_cast<WhyNotMoved>(bits == 0 ? 0 : std::bit_width(bits) - 1);
}

// The node's first rank makes the page; an empty name says that it could not.
NodePage* shared_page(const Channel& node, std::string& name) {
  NodePage* page = nullptr;
  const auto ranks = static_cast<std::uint32_t>(node.ranks());
  try {
    if (node.rank() == 0) {
      page = NodePage::make(ranks, name);
      const Moment now = Moment::now();
      page->began_ticks = now.ticks;
      page->began_ns = now.nanoseconds;
    }
  } catch (const Error&) {
    name.clear();
  }
  const std::string shared = node.broadcast(name);
  try {
    if (node.rank() != 0 && !shared.empty()) page = NodePage::open(shared, ranks);
  } catch (const Error&) {
  }
  return page;
}

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

// Thousands of small files: one rank of a node reads them for all.
std::vector<PhysicalCore> cores_of_node(const Channel& node, const std::filesystem::path& sysfs) {
  std::vector<std::uint32_t> numbers;
  if (node.rank() == 0) numbers = packed(physical_cores(sysfs));
  auto count = static_cast<std::uint32_t>(numbers.size());
  node.broadcast(&count, sizeof count);
  numbers.resize(count);
  node.broadcast(numbers.data(), static_cast<int>(count * sizeof(std::uint32_t)));
  return unpacked(numbers);
}

}  // namespace

MoveAgreement agree_on_moves(const Channel& channel, const MoveRequest& request) {
  const Channel node = channel.node();
  std::string name;
  NodePage* const page = shared_page(node, name);
  std::vector<PhysicalCore> cores = cores_of_node(node, request.sysfs);
  MoveAgreement agreement;
  std::uint32_t obstacles = 0;
  if (request.wish == MoveRequest::Wish::kForbid) obstacles |= bit(WhyNotMoved::kSharedNode);
  try {
    if (page != nullptr)
      agreement.moves = std::make_unique<RankMoves>(*page, static_cast<std::uint32_t>(node.rank()),
                                                    std::move(cores), PuSet::of_this_thread());
  } catch (const std::exception&) {
  }
  if (!agreement.moves) obstacles |= bit(WhyNotMoved::kNoSharedMemory);
  obstacles = channel.any_of_all(obstacles);
  // All have the page by now, and have entered where they are.
  NodePage::forget(name);
  if (obstacles == 0) obstacles = channel.any_of_all(bit(agreement.moves->obstacle()));
  agreement.why_not = highest(obstacles);
  if (obstacles == 0) return agreement;
  agreement.moves.reset();
  NodePage::close(page);
  return agreement;
}

}  // namespace huddle::recorder
