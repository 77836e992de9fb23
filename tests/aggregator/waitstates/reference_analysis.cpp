#include "tests/aggregator/waitstates/reference_analysis.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "tests/aggregator/waitstates/reference_matching.hpp"

namespace huddle::waitstates {
namespace {

using reference::Region;

// When what belongs together began and ended, and who waited for that.
class Reference : private reference::Matching {
 public:
  explicit Reference(const MemoryTrace& trace) : Matching(trace) {}

  PlainReport run() {
    set_times();
    find_wrong_order();
    for (Region& region : regions_) book(region);
    return report_;
  }

 private:
  // Each location in turn as far as it goes, until all are at their ends.
  void set_times() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t location = 0; location < lines_.size(); ++location)
        while (lines_[location].next < trace_.events[location].size() && advance(location))
          moved = true;
    }
  }

  static std::uint64_t corrected(const Line& line, std::uint64_t raw) {
    const std::uint64_t back = line.shift == 0 ? 0 : (raw - line.set_at) / 128;
    return back >= line.shift ? raw : raw + line.shift - back;
  }

  bool advance(std::uint32_t location) {
    Line& line = lines_[location];
    const std::uint64_t raw = trace_.events[location][line.next].time;
    if (Region* const region = line.enters[line.next]) {
      region->enter = corrected(line, raw);
      region->entered = true;
    }
    if (Region* const region = line.leaves[line.next]) {
      std::uint64_t least = 0;
      for (const auto& [pattern, others] : region->causes)
        for (const Region* const other : others) {
          if (!other->entered) return false;
          if (is_certain(pattern)) least = std::max(least, other->enter);
        }
      for (const auto& [pattern, others] : region->causes)
        if (is_certain(pattern) && last_of(others) > corrected(line, raw)) ++report_.violations;
      if (corrected(line, raw) < least) {
        line.shift = least - raw;
        line.set_at = raw;
      }
      region->leave = corrected(line, raw);
    }
    ++line.next;
    return true;
  }

  // No call ends before these.
  static bool is_certain(WaitPattern pattern) {
    return pattern == WaitPattern::kLateSender || pattern == WaitPattern::kWaitAtBarrier ||
           pattern == WaitPattern::kLateComplete;
  }

  static std::uint64_t last_of(const std::vector<Region*>& regions) {
    std::uint64_t last = 0;
    for (const Region* const region : regions) last = std::max(last, region->enter);
    return last;
  }

  static std::uint64_t last_sender(const Region& call) {
    std::uint64_t last = 0;
    for (const auto& [pattern, others] : call.causes)
      if (pattern == WaitPattern::kLateSender) last = std::max(last, last_of(others));
    return last;
  }

  static std::uint64_t first_sender(const Region& call) {
    std::uint64_t first = UINT64_MAX;
    for (const auto& [pattern, others] : call.causes)
      if (pattern == WaitPattern::kLateSender)
        for (const Region* const sender : others) first = std::min(first, sender->enter);
    return first;
  }

  // Regions are in the order of their enters, those of MPI do not overlap.
  void find_wrong_order() {
    for (std::uint32_t location = 0; location < lines_.size(); ++location) {
      std::vector<Region*> calls;
      for (Region& region : regions_)
        if (region.location == location && first_sender(region) < UINT64_MAX)
          calls.push_back(&region);
      for (std::size_t at = 0; at < calls.size(); ++at) {
        std::size_t waits = 0;
        for (std::size_t later = at + 1; later < calls.size() && waits < 64; ++later) {
          if (first_sender(*calls[later]) < calls[at]->enter) calls[at]->wrong_order = true;
          if (last_sender(*calls[later]) > calls[later]->enter) ++waits;
        }
      }
    }
  }

  void book(Region& region) {
    std::uint64_t inside = 0;
    for (const Region& other : regions_)
      if (other.location == region.location && other.enter_event > region.enter_event &&
          other.leave_event < region.leave_event &&
          std::ranges::count(other.path, '/') == std::ranges::count(region.path, '/') + 1)
        inside += other.leave - other.enter;
    auto& time = report_.times[{region.location, region.path}];
    ++time.first;
    time.second += region.leave - region.enter - inside;

    std::array<std::uint64_t, kWaitPatterns> until{};
    const auto extend = [&](WaitPattern pattern, std::uint64_t end) {
      std::uint64_t& known = until.at(static_cast<std::size_t>(pattern));
      known = std::max(known, std::min(end, region.leave));
    };
    for (const auto& [pattern, others] : region.causes) extend(pattern, last_of(others));
    for (const Region* const receiver : region.receivers)
      if (receiver->enter < region.leave) extend(WaitPattern::kLateReceiver, receiver->enter);
    const std::uint64_t posted = last_of(region.posts);
    if (region.is_start && posted <= region.leave) extend(WaitPattern::kLatePost, posted);
    if (region.start != nullptr && posted > region.start->leave && posted <= region.leave)
      extend(WaitPattern::kLatePost, posted);
    if (!region.team.empty()) {
      std::uint64_t last = 0;
      for (const Region* const member : region.team) last = std::max(last, member->raw_enter);
      const std::uint64_t own = region.leave - region.enter - inside;
      extend(WaitPattern::kWaitAtOpenmpBarrier,
             region.enter + std::min(own, last - region.raw_enter));
    }
    std::uint64_t booked = region.enter;
    for (std::size_t pattern = 0; pattern < kWaitPatterns; ++pattern) {
      if (until.at(pattern) <= booked) continue;
      const std::uint64_t ticks = until.at(pattern) - booked;
      const bool wrong = pattern == 0 && region.wrong_order;
      const WaitPattern named =
          wrong ? WaitPattern::kLateSenderWrongOrder : static_cast<WaitPattern>(pattern);
      auto& waits = report_.waits[{std::string(name_of(named)), region.location, region.path}];
      ++waits.count;
      waits.ticks += ticks;
      waits.longest = std::max(waits.longest, ticks);
      booked = until.at(pattern);
    }
  }

  PlainReport report_;
};

}  // namespace

PlainReport reference_analysis(const MemoryTrace& trace) {
  return Reference(trace).run();
}

}  // namespace huddle::waitstates
