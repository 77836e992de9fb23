#include "profiles/recorder/moves/move_agreement.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "profiles/recorder/process/tick_clock.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

using PageName = std::array<char, 64>;

// Reasons are bits, so that all ranks' can be joined.
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
  PageName told{};
  try {
    if (node.rank() == 0) {
      page = NodePage::make(ranks, name);
      const Moment now = Moment::now();
      page->began_ticks = now.ticks;
      page->began_ns = now.nanoseconds;
      std::copy_n(name.begin(), std::min(name.size(), told.size() - 1), told.begin());
    }
  } catch (const Error&) {
  }
  node.share_from_root(told.data(), told.size());
  try {
    if (node.rank() != 0 && told[0] != '\0') page = NodePage::open(told.data(), ranks);
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
  node.share_from_root(&count, sizeof count);
  numbers.resize(count);
  node.share_from_root(numbers.data(), static_cast<int>(count * sizeof(std::uint32_t)));
  return unpacked(numbers);
}

}  // namespace

MoveRequest MoveRequest::from(const Environment& environment) {
  MoveRequest request;
  const std::string_view wish = text_of(environment, "HUDDLE_MOVE_RANKS");
  if (wish == "1") request.wish = Wish::kMove;
  if (wish == "0") request.wish = Wish::kForbid;
  if (const auto sysfs = text_of(environment, "HUDDLE_SYSFS"); !sysfs.empty())
    request.sysfs = sysfs;
  return request;
}

MoveAgreement agree_on_moves(const Channel& channel, const MoveRequest& request) {
  const Channel node = channel.of_node();
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
  obstacles = channel.joined(obstacles);
  // All have the page by now, and have told where they are.
  NodePage::forget(name);
  if (obstacles == 0) obstacles = channel.joined(bit(agreement.moves->obstacle()));
  agreement.why_not = highest(obstacles);
  if (obstacles == 0) return agreement;
  agreement.moves.reset();
  NodePage::close(page);
  return agreement;
}

}  // namespace huddle::recorder
