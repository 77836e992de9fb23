#include "profiles/recorder/startup/move_agreement.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/startup/node_cores.hpp"
#include "profiles/recorder/startup/shared_page.hpp"
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

void begin_now(NodePage& page) {
  const Moment now = Moment::now();
  page.began_ticks = now.ticks;
  page.began_ns = now.nanoseconds;
}

}  // namespace

MoveAgreement agree_on_moves(const Channel& channel, const MoveRequest& request) {
  const Channel node = channel.node();
  std::string name;
  NodePage* const page = shared_page<NodePage>(node, name, begin_now);
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
