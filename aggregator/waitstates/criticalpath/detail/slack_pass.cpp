#include "aggregator/waitstates/criticalpath/detail/slack_pass.hpp"

#include <algorithm>
#include <limits>

namespace huddle::waitstates {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

}  // namespace

SlackPass::SlackPass(const ActivityLog& log, const Replay& unchanged)
    : log_(log),
      replay_(unchanged),
      begins_(log.size(), log.folder()),
      collectives_(log.collectives().size(), log.folder()),
      scans_(log.scan_places().size(), log.folder()) {
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank)
    latest_end_.push_back(unchanged.run_time() -
                          log.computation_before(rank, log.first_of(rank + 1)));
  unchanged.each_backwards(
      [&](std::uint32_t rank, std::uint64_t activity) { begin(rank, activity); },
      [&](std::uint32_t rank, std::uint64_t activity) { end(rank, activity); });
}

void SlackPass::end(std::uint32_t rank, std::uint64_t activity) {
  const std::uint64_t transfer = log_.transfer_of(activity, log_.cause_of(activity).time);
  const Limits limits{kNever - (latest_end_[rank] - transfer),
                      kNever - (replay_.leave(activity) - transfer)};
  Limits& own = begins_[activity];
  own = {std::max(own.latest, limits.latest), std::max(own.free, limits.free)};
  limit_what_it_waits_for(activity, limits);
}

void SlackPass::limit_what_it_waits_for(std::uint64_t activity, const Limits& limits) {
  for (const ActivityLink& link : log_.links_of(activity)) {
    if (!log_.holds(activity, log_.waits_for(link))) continue;
    Limits* of = nullptr;
    switch (link.kind) {
      case DependencyKind::kMessage:
      case DependencyKind::kReceiver:
        of = &begins_[link.on];
        break;
      case DependencyKind::kCollectiveScan:
        of = &scans_[log_.collectives()[link.on].places + link.which];
        break;
      default:
        of = &collectives_[link.on];
        break;
    }
    *of = {std::max(of->latest, limits.latest), std::max(of->free, limits.free)};
  }
}

void SlackPass::limit_by_instance(const ActivityLink& link, Limits& limits) const {
  const auto add = [&](const Limits& other) {
    limits = {std::max(limits.latest, other.latest), std::max(limits.free, other.free)};
  };
  const CollectiveInstance& instance = log_.collectives()[link.on];
  if (instance.kind != CollectiveInstance::Kind::kScan) {
    add(collectives_[link.on]);
    return;
  }
  for (std::uint32_t place = link.which + 1; place < instance.members; ++place)
    add(scans_[instance.places + place]);
}

void SlackPass::begin(std::uint32_t rank, std::uint64_t activity) {
  Limits& own = begins_[activity];
  for (const ActivityLink& link : log_.links_of(activity)) {
    if (!link.begins) continue;
    const CollectiveInstance& instance = log_.collectives()[link.on];
    // Where all wait for the root, nobody waits for the others.
    if (instance.kind == CollectiveInstance::Kind::kRoot && activity != instance.root_begin)
      continue;
    limit_by_instance(link, own);
  }
  // A dependency that was passed over may ask for more than there is.
  const std::uint64_t enter = replay_.enter(activity);
  own = {std::min(own.latest, kNever - enter), std::min(own.free, kNever - enter)};
  latest_end_[rank] = kNever - own.latest - log_.computation_before(rank, activity);
}

std::uint64_t SlackPass::total(std::uint32_t rank, std::uint64_t activity) const {
  if (activity == log_.first_of(rank + 1)) return replay_.run_time() - replay_.end_of(rank);
  return kNever - begins_[activity].latest - replay_.enter(activity);
}

std::uint64_t SlackPass::apportioned(std::uint32_t rank, std::uint64_t activity) const {
  if (activity == log_.first_of(rank + 1)) return replay_.run_time() - replay_.end_of(rank);
  return kNever - begins_[activity].free - replay_.enter(activity);
}

}  // namespace huddle::waitstates
