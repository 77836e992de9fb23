#include "profiles/recorder/startup/trade_agreement.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/recorder/startup/node_cores.hpp"
#include "profiles/recorder/startup/shared_page.hpp"

namespace huddle::recorder {
namespace {

constexpr std::uint32_t kShared = 1;
constexpr std::uint32_t kForbidden = 2;

// Whether all PUs of `own` are on one NUMA node, and which.
bool numa_node_of(const PuSet& own, const std::vector<PhysicalCore>& cores, std::uint32_t& node) {
  std::size_t found = 0;
  for (const PhysicalCore& core : cores)
    for (const std::uint32_t pu : core.pus.members()) {
      if (!own.contains(pu)) continue;
      if (found++ > 0 && node != core.numa_node) return false;
      node = core.numa_node;
    }
  return found == own.size();
}

bool enter(TradePage::Slot& slot, const PuSet& own, const PuSet& clock,
           const std::vector<PhysicalCore>& cores) {
  if (clock.empty() || own.empty() || own.size() > TradePage::kMostPus) return false;
  slot.place.clock = clock.members().front();
  slot.place.pus = static_cast<std::uint32_t>(own.size());
  std::copy(own.members().begin(), own.members().end(), slot.pus.begin());
  return numa_node_of(own, cores, slot.place.numa_node);
}

}  // namespace

std::unique_ptr<PlaceTrader> agree_on_trades(const Channel& channel, const BalanceRequest& request,
                                             const PuSet& own, KeeperDesk& desk) {
  const PuSet clock = desk.pus_of_clock();
  const bool shared =
      std::ranges::any_of(clock.members(), [&own](std::uint32_t pu) { return !own.contains(pu); });
  const bool forbidden = !request.trades;
  const std::uint32_t all =
      channel.any_of_all((shared ? kShared : 0) | (forbidden ? kForbidden : 0));
  if (all != kShared) return nullptr;

  const Channel node = channel.node();
  std::string name;
  TradePage* const page = shared_page<TradePage>(node, name, [](TradePage&) {});
  const std::vector<PhysicalCore> cores = cores_of_node(node, request.sysfs);
  const auto slot = static_cast<std::uint32_t>(node.rank());
  const bool entered = page != nullptr && enter(page->slots()[slot], own, clock, cores);
  const bool obstacle = node.any_of_all(entered ? 0 : 1) != 0;
  // All have the page by now, and have entered where they are.
  TradePage::forget(name);
  if (!obstacle)
    return std::make_unique<PlaceTrader>(
        *page, slot, desk.steps(),
        [&desk](const PuSet& from, const PuSet& to, bool home) { return desk.go(from, to, home); });
  TradePage::close(page);
  return nullptr;
}

}  // namespace huddle::recorder
