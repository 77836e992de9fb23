#include "aggregator/predict/communication/collective_time.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

namespace huddle {
namespace {

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

/// The curves that calls on a communicator are looked up in; none if the table has nothing alike.
struct Curves {
  std::optional<TimeCurve> own;
  /// As if all ranks of the nodes took part.
  std::optional<TimeCurve> around;
};

/// Finds curves once for all ranks that call the same.
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

Seconds collective_time(const Profile& profile, const CommunicationTable& table,
                        const std::vector<Location>& locations) {
  Seconds slowest{0};
  for (const std::vector<Seconds>& times : collective_times(profile, table, locations)) {
    Seconds of_rank{0};
    for (const Seconds time : times) of_rank += time;
    slowest = std::max(slowest, of_rank);
  }
  return slowest;
}

}  // namespace huddle
