#include "aggregator/waitstates/replay/detail/departures.hpp"

#include <algorithm>

namespace huddle {

void Departures::leave(const ReplayMessage& departure) {
  const WideKey key{departure.subject, departure.number};
  const std::uint32_t* const known = find_in(by_key_, key);
  const std::uint32_t index = known != nullptr ? *known : operations_.acquire();
  Operation& operation = operations_[index];
  if (known == nullptr) {
    by_key_[key] = index;
    operation.departures.clear();
    operation.first = UINT64_MAX;
    operation.last_begun = 0;
  }
  operation.departures.push_back(departure);
  operation.first = std::min(operation.first, departure.time);
  operation.last_begun = std::max(operation.last_begun, departure.enter);
  if (operation.departures.size() < members_.count(departure.subject)) return;
  for (const ReplayMessage& each : operation.departures) {
    ReplayMessage answer;
    answer.kind = ReplayMessageKind::kCompleted;
    answer.collective = each.collective;
    answer.to = each.location;
    answer.path = each.path;
    const std::uint64_t from = std::max(operation.first, operation.last_begun);
    answer.time = each.time - std::min(each.time, from);
    answer_(answer);
  }
  by_key_.erase(key);
  operations_.release(index);
}

}  // namespace huddle
