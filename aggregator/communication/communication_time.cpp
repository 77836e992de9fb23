#include "aggregator/communication/communication_time.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace huddle {
namespace {

double time_of(const LinkTime& link, double messages, double bytes) {
  return messages * link.latency.value + bytes / link.bandwidth.value;
}

struct Load {
  double out = 0;
  double in = 0;
  [[nodiscard]] double larger() const { return std::max(out, in); }
};

Distance widest(const std::vector<Location>& locations) {
  Distance found = Distance::kDie;
  for (const Location& location : locations)
    found = std::max(found, distance_between(locations.front(), location));
  return found;
}

bool exchanges_with_everyone(std::string_view operation) {
  return operation.find("alltoall") != std::string_view::npos;
}

double collective_time(const CollectiveCalls& calls, const LinkTime& link) {
  if (calls.participants < 2) return 0;
  const auto count = static_cast<double>(calls.calls);
  const auto bytes = static_cast<double>(calls.bytes.value);
  if (exchanges_with_everyone(calls.operation))
    return time_of(link, count * (calls.participants - 1), bytes);
  const auto rounds = static_cast<double>(std::bit_width(calls.participants - 1));
  return rounds * time_of(link, count, bytes);
}

double largest(const std::vector<Load>& loads) {
  double most = 0;
  for (const Load& load : loads) most = std::max(most, load.larger());
  return most;
}

}  // namespace

Seconds communication_time(const Profile& profile, const Machine& machine,
                           const std::vector<Location>& locations) {
  std::vector<Load> ranks(locations.size());
  std::uint32_t nodes = 0;
  for (const Location& location : locations) nodes = std::max(nodes, location.node + 1);
  std::vector<Load> links(nodes);
  const LinkTime& network = machine.link(Distance::kNetwork);
  const LinkTime& far = machine.link(widest(locations));
  double collectives = 0;
  for (const RankRecord& record : profile.rank_records) {
    const std::uint32_t sender = record.rank.value;
    for (const SentMessages& cell : record.sent) {
      const std::uint32_t receiver = cell.receiver.value;
      if (receiver == sender) continue;
      const Distance distance = distance_between(locations[sender], locations[receiver]);
      const double time = time_of(machine.link(distance), static_cast<double>(cell.messages),
                                  static_cast<double>(cell.bytes.value));
      ranks[sender].out += time;
      ranks[receiver].in += time;
      if (distance != Distance::kNetwork) continue;
      const double occupied = static_cast<double>(cell.bytes.value) / network.bandwidth.value;
      links[locations[sender].node].out += occupied;
      links[locations[receiver].node].in += occupied;
    }
    double of_rank = 0;
    for (const CollectiveCalls& calls : record.collectives) of_rank += collective_time(calls, far);
    collectives = std::max(collectives, of_rank);
  }
  return {std::max(largest(ranks), largest(links)) + collectives};
}

}  // namespace huddle
