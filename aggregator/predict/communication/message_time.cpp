#include "aggregator/predict/communication/message_time.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace huddle {
namespace {

struct Load {
  double out = 0;
  double in = 0;
  [[nodiscard]] double larger() const { return std::max(out, in); }
};

double largest(const std::vector<Load>& loads) {
  double most = 0;
  for (const Load& load : loads) most = std::max(most, load.larger());
  return most;
}

std::uint32_t nodes_in(const std::vector<Location>& locations) {
  std::uint32_t nodes = 0;
  for (const Location& location : locations) nodes = std::max(nodes, location.node + 1);
  return nodes;
}

std::size_t index_of(Distance distance) {
  return static_cast<std::size_t>(distance);
}

/// The curves of messages at each distance while those pairs interfere that a placement brings
/// together.
class Interference {
 public:
  Interference(const Profile& profile, const MessageTable& table,
               const std::vector<Location>& locations)
      : talkers_(nodes_in(locations)), curve_of_(talkers_.size()) {
    count_talkers(profile, locations);
    for (std::size_t i = 0; i < kDistances; ++i) {
      const auto distance = static_cast<Distance>(i);
      if (!table.has(distance)) continue;
      for (std::size_t node = 0; node < talkers_.size(); ++node) {
        const std::uint32_t ranks = talkers_[node][i];
        if (ranks == 0) continue;
        const std::uint32_t pairs = distance == Distance::kNetwork ? ranks : (ranks + 1) / 2;
        auto found = curves_[i].find(pairs);
        if (found == curves_[i].end())
          found = curves_[i].emplace(pairs, table.curve(distance, pairs)).first;
        curve_of_[node][i] = &found->second;
      }
    }
  }

  // Null if there is no table at that distance.
  [[nodiscard]] const TimeCurve* between(std::uint32_t a, std::uint32_t b,
                                         Distance distance) const {
    const std::size_t i = index_of(distance);
    return curve_of_[talkers_[a][i] >= talkers_[b][i] ? a : b][i];
  }

 private:
  void count_talkers(const Profile& profile, const std::vector<Location>& locations) {
    std::vector<std::array<bool, kDistances>> talks(locations.size());
    for (const RankRecord& record : profile.rank_records) {
      const std::uint32_t sender = record.rank.value;
      for (const SentMessages& cell : record.sent) {
        const std::uint32_t receiver = cell.receiver.value;
        if (receiver == sender) continue;
        const std::size_t i = index_of(distance_between(locations[sender], locations[receiver]));
        talks[sender][i] = talks[receiver][i] = true;
      }
    }
    for (std::size_t rank = 0; rank < locations.size(); ++rank)
      for (std::size_t i = 0; i < kDistances; ++i)
        talkers_[locations[rank].node][i] += talks[rank][i] ? 1U : 0U;
  }

  /// By node: how many ranks talk at each distance.
  std::vector<std::array<std::uint32_t, kDistances>> talkers_;
  /// By distance and number of pairs; nodes point into it.
  std::array<std::map<std::uint32_t, TimeCurve>, kDistances> curves_;
  std::vector<std::array<const TimeCurve*, kDistances>> curve_of_;
};

double time_of(const SentMessages& cell, const TimeCurve* curve, const LinkTime& link) {
  const auto messages = static_cast<double>(cell.messages);
  const auto bytes = static_cast<double>(cell.bytes.value);
  if (curve == nullptr) return messages * link.latency.value + bytes / link.bandwidth.value;
  return cell.messages == 0 ? 0 : messages * curve->seconds(bytes / messages);
}

/// What messages keep ranks busy with, and the links of nodes to the network.
struct Loads {
  std::vector<Load> ranks;
  std::vector<Load> links;
};

Loads loads_of(const Profile& profile, const MessageTable& table,
               const std::vector<Location>& locations) {
  const Interference interference(profile, table, locations);
  std::vector<Load> ranks(locations.size());
  std::vector<Load> links(nodes_in(locations));
  const double between_nodes = table.bandwidth_between_nodes().value;
  for (const RankRecord& record : profile.rank_records) {
    const std::uint32_t sender = record.rank.value;
    for (const SentMessages& cell : record.sent) {
      const std::uint32_t receiver = cell.receiver.value;
      if (receiver == sender) continue;
      const Location& from = locations[sender];
      const Location& to = locations[receiver];
      const Distance distance = distance_between(from, to);
      const double time =
          time_of(cell, interference.between(from.node, to.node, distance), table.link(distance));
      ranks[sender].out += time;
      ranks[receiver].in += time;
      if (distance != Distance::kNetwork) continue;
      const double occupied = static_cast<double>(cell.bytes.value) / between_nodes;
      links[from.node].out += occupied;
      links[to.node].in += occupied;
    }
  }
  return {std::move(ranks), std::move(links)};
}

}  // namespace

Seconds message_time(const Profile& profile, const MessageTable& table,
                     const std::vector<Location>& locations) {
  const Loads loads = loads_of(profile, table, locations);
  return {std::max(largest(loads.ranks), largest(loads.links))};
}

std::vector<Seconds> receiving_times(const Profile& profile, const MessageTable& table,
                                     const std::vector<Location>& locations) {
  std::vector<Seconds> times;
  for (const Load& load : loads_of(profile, table, locations).ranks) times.push_back({load.in});
  return times;
}

}  // namespace huddle
