#include "aggregator/predict/communication/communication_time.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace huddle::predict {
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

// The curves of messages at each distance while those pairs interfere that a placement brings
// together.
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

  /// Number of ranks of each node that talk at each distance.
  std::vector<std::array<std::uint32_t, kDistances>> talkers_;
  /// Curves by distance and number of pairs; nodes point into it.
  std::array<std::map<std::uint32_t, TimeCurve>, kDistances> curves_;
  std::vector<std::array<const TimeCurve*, kDistances>> curve_of_;
};

double time_of(const SentMessages& cell, const TimeCurve* curve, const LinkTime& link) {
  const auto messages = static_cast<double>(cell.messages);
  const auto bytes = static_cast<double>(cell.bytes.value);
  if (curve == nullptr) return messages * link.latency.value + bytes / link.bandwidth.value;
  return cell.messages == 0 ? 0 : messages * curve->seconds(bytes / messages);
}

// The loads that messages put on ranks, and on the links of nodes to the network.
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

Distance widest(const std::vector<Location>& locations) {
  Distance found = Distance::kDie;
  for (const Location& location : locations)
    found = std::max(found, distance_between(locations.front(), location));
  return found;
}

std::vector<std::uint32_t> ranks_in(const RankSet& set) {
  std::vector<std::uint32_t> ranks;
  for (const RankSet::Run& run : set.runs())
    for (std::uint64_t rank = run.first; rank <= run.last; rank += run.stride)
      ranks.push_back(static_cast<std::uint32_t>(rank));
  return ranks;
}

double by_formula(const CollectiveCalls& calls, const LinkTime& link) {
  const auto count = static_cast<double>(calls.calls);
  const auto bytes = static_cast<double>(calls.bytes.value);
  const auto time_of = [&](double messages) {
    return messages * link.latency.value + bytes / link.bandwidth.value;
  };
  if (exchanges_with_everyone(calls.operation)) return time_of(count * (calls.participants - 1));
  return static_cast<double>(std::bit_width(calls.participants - 1)) * time_of(count);
}

// The curves that calls on a communicator are looked up in; none if the table has nothing alike.
struct Curves {
  std::optional<TimeCurve> own;
  /// As if all ranks of the nodes took part.
  std::optional<TimeCurve> around;
};

// Finds curves once for all ranks that call the same.
class CurveFinder {
 public:
  CurveFinder(const Profile& profile, const CollectiveTable& table,
              const std::vector<Location>& locations)
      : profile_(profile), table_(table), locations_(locations), spreads_(locations) {}

  const Curves& curves_for(const CollectiveCalls& calls) {
    const Key key{calls.operation, calls.communicator_id, calls.participants};
    const auto found = curves_.find(key);
    return found != curves_.end() ? found->second : curves_.emplace(key, find(calls)).first->second;
  }

 private:
  using Key = std::tuple<std::string_view, std::uint64_t, std::uint32_t>;

  [[nodiscard]] const Communicator* communicator(std::uint64_t id) const {
    const std::vector<Communicator>& all = profile_.shared.communicators;
    const auto at =
        std::lower_bound(all.begin(), all.end(), id,
                         [](const Communicator& a, std::uint64_t b) { return a.id < b; });
    return at == all.end() || at->id != id || !at->others.empty() ? nullptr : &*at;
  }

  [[nodiscard]] Curves find(const CollectiveCalls& calls) const {
    const Communicator* named = communicator(calls.communicator_id);
    RankSpread own = spreads_.of_all();
    RankSpread around = own;
    if (named != nullptr) {
      const std::vector<std::uint32_t> members = ranks_in(named->members);
      own = spreads_.of(members);
      if (own.nodes == 1) around = spreads_.of_node(locations_[members.front()].node);
    }
    Curves curves{table_.curve(calls.operation, own, calls.participants), {}};
    if (around != own) curves.around = table_.curve(calls.operation, around, calls.participants);
    return curves;
  }

  const Profile& profile_;
  const CollectiveTable& table_;
  const std::vector<Location>& locations_;
  SpreadFinder spreads_;
  std::map<Key, Curves> curves_;
};

double by_table(const CollectiveCalls& calls, const Curves& curves) {
  const auto count = static_cast<double>(calls.calls);
  const double bytes = static_cast<double>(calls.bytes.value) / count;
  double time = 0;
  if (curves.own) time = curves.own->seconds(bytes);
  if (curves.around) time = std::max(time, curves.around->seconds(bytes));
  return count * time;
}

}  // namespace

std::vector<std::vector<Seconds>> collective_times(const Profile& profile,
                                                   const CommunicationTable& table,
                                                   const std::vector<Location>& locations) {
  const LinkTime& far = table.messages.link(widest(locations));
  std::optional<CurveFinder> finder;
  if (!table.collectives.empty()) finder.emplace(profile, table.collectives, locations);
  std::vector<std::vector<Seconds>> times;
  times.reserve(profile.rank_records.size());
  for (const RankRecord& record : profile.rank_records) {
    std::vector<Seconds>& of_rank = times.emplace_back();
    of_rank.reserve(record.collectives.size());
    for (const CollectiveCalls& calls : record.collectives) {
      of_rank.push_back({0});
      if (calls.participants < 2 || calls.calls == 0) continue;
      const Curves* curves = finder ? &finder->curves_for(calls) : nullptr;
      const bool known = curves != nullptr && (curves->own || curves->around);
      of_rank.back().value = known ? by_table(calls, *curves) : by_formula(calls, far);
    }
  }
  return times;
}

Seconds communication_time(const Profile& profile, const CommunicationTable& table,
                           const std::vector<Location>& locations) {
  const Loads loads = loads_of(profile, table.messages, locations);
  Seconds slowest{0};
  for (const std::vector<Seconds>& times : collective_times(profile, table, locations)) {
    Seconds of_rank{0};
    for (const Seconds time : times) of_rank += time;
    slowest = std::max(slowest, of_rank);
  }
  return Seconds{std::max(largest(loads.ranks), largest(loads.links))} + slowest;
}

}  // namespace huddle::predict
