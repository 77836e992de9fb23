#include "aggregator/waitstates/estimate/waiting_estimate.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include "aggregator/predict/communication/communication_time.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "commgraph/topology/node_topology.hpp"

namespace huddle {
namespace {

using Operations = std::vector<std::string_view>;

constexpr double kUnknown = std::numeric_limits<double>::infinity();

bool one_of(std::string_view operation, const Operations& list) {
  return std::find(list.begin(), list.end(), operation) != list.end();
}

std::optional<WaitPattern> pattern_of(std::string_view operation) {
  static const Operations kFromRoot = {"bcast", "scatter", "scatterv"};
  static const Operations kToRoot = {"reduce", "gather", "gatherv"};
  static const Operations kScans = {"scan", "exscan"};
  static const Operations kToAll = {"allgather",      "allgatherv",          "allreduce",
                                    "alltoall",       "alltoallv",           "alltoallw",
                                    "reduce_scatter", "reduce_scatter_block"};
  if (operation == "barrier") return WaitPattern::kWaitAtBarrier;
  if (one_of(operation, kToAll)) return WaitPattern::kWaitAtNxN;
  if (one_of(operation, kFromRoot)) return WaitPattern::kLateBroadcast;
  if (one_of(operation, kToRoot)) return WaitPattern::kEarlyReduce;
  if (one_of(operation, kScans)) return WaitPattern::kEarlyScan;
  return {};
}

bool is_nonblocking_collective(std::string_view operation) {
  return operation.starts_with("i") && pattern_of(operation.substr(1)).has_value();
}

// Calls that end no sooner than messages have arrived. Tests don't wait.
bool receives(std::string_view operation) {
  static const Operations kReceiving = {"recv", "mrecv",   "sendrecv", "sendrecv_replace",
                                        "wait", "waitall", "waitany",  "waitsome"};
  return one_of(operation, kReceiving);
}

Seconds time_in_receives(const RankRecord& record) {
  Seconds time{0};
  for (const CallKind& kind : record.calls)
    if (receives(kind.operation)) time += kind.time;
  return time;
}

// Only the root of an operation that hands out data contributes anything.
bool is_root(WaitPattern pattern, const CollectiveCalls& calls) {
  return pattern == WaitPattern::kLateBroadcast && calls.bytes.value > 0;
}

/// What is known of one call of the same collective, over all ranks, in seconds.
struct OneCall {
  double shortest = kUnknown;
  double quickest_mean = kUnknown;
  bool all_have_shortest = true;
};

/// What a transfer takes without waiting, and between which bounds.
struct Transfer {
  double shortest = 0;
  double expected = 0;
  double longest = 0;
};

/// Where the ranks ran, and what messages take there.
struct Surroundings {
  CommunicationTable table;
  std::vector<Location> locations;
  bool measured = false;  ///< a machine was given
  bool several_nodes = true;
};

class Estimator {
 public:
  Estimator(const Profile& profile, const Surroundings& around)
      : profile_(profile), around_(around) {
    for (const RankRecord& record : profile.rank_records) {
      estimate_.ranks.push_back({record.rank, {}, {}, {}});
      for (const CollectiveCalls& calls : record.collectives) learn(calls);
    }
  }

  WaitingEstimate estimate() && {
    add_collectives();
    add_late_senders();
    explain();
    return std::move(estimate_);
  }

 private:
  /// What the roots of an operation that hands out data had to hand out.
  struct Handed {
    double calls = 0;
    double bytes = 0;
  };
  using Key = std::tuple<std::string_view, std::uint64_t, std::uint32_t, std::uint8_t>;

  static Key key_of(const CollectiveCalls& calls) {
    return {calls.operation, calls.communicator_id, calls.participants, calls.size_class};
  }

  void learn(const CollectiveCalls& calls) {
    if (calls.calls == 0) return;
    OneCall& call = one_call_[key_of(calls)];
    const auto count = static_cast<double>(calls.calls);
    call.quickest_mean = std::min(call.quickest_mean, calls.time.value / count);
    if (calls.shortest)
      call.shortest = std::min(call.shortest, calls.shortest->value);
    else
      call.all_have_shortest = false;
    if (pattern_of(calls.operation) != WaitPattern::kLateBroadcast || calls.bytes.value == 0)
      return;
    Handed& handed = handed_[{calls.operation, calls.communicator_id, calls.participants}];
    handed.calls += count;
    handed.bytes += static_cast<double>(calls.bytes.value);
  }

  // If the root is always late, no rank ever had its data without waiting: then messages over the
  // links, handed on from one rank to the next, may be all that it takes.
  [[nodiscard]] double handing_out(const CollectiveCalls& calls) const {
    const auto found = handed_.find({calls.operation, calls.communicator_id, calls.participants});
    if (found == handed_.end()) return kUnknown;
    const auto [count, bytes] = found->second;
    const LinkTime& link =
        around_.table.messages.link(around_.several_nodes ? Distance::kNetwork : Distance::kNode);
    return std::bit_width(calls.participants - 1) *
           (link.latency.value + bytes / count / link.bandwidth.value);
  }

  // `by_machine`: the time of one call by the machine's tables.
  [[nodiscard]] Transfer transfer(const CollectiveCalls& calls, double by_machine) const {
    const OneCall& call = one_call_.at(key_of(calls));
    Transfer one;
    one.longest = call.quickest_mean;
    if (call.all_have_shortest)
      one.shortest = std::min({call.shortest, handing_out(calls), one.longest});
    if (around_.measured)
      one.expected = std::clamp(by_machine, one.shortest, one.longest);
    else
      one.expected = call.all_have_shortest ? (one.shortest + one.longest) / 2 : one.longest;
    return one;
  }

  void add_collectives() {
    std::vector<std::vector<Seconds>> times;
    if (around_.measured) times = collective_times(profile_, around_.table, around_.locations);
    for (std::size_t i = 0; i < profile_.rank_records.size(); ++i) {
      const std::vector<CollectiveCalls>& collectives = profile_.rank_records[i].collectives;
      for (std::size_t j = 0; j < collectives.size(); ++j) {
        const CollectiveCalls& calls = collectives[j];
        const std::optional<WaitPattern> pattern = pattern_of(calls.operation);
        if (!pattern || calls.calls == 0 || is_root(*pattern, calls)) continue;
        if (calls.participants == 1) continue;
        const auto count = static_cast<double>(calls.calls);
        const double by_machine = around_.measured ? times[i][j].value / count : 0;
        add_beyond(i, *pattern, calls.time.value, count, transfer(calls, by_machine));
      }
    }
  }

  // What a rank received is known if all senders recorded it. The rank that needed least time for
  // what it received, by the links, may have waited for nobody.
  void add_late_senders() {
    if (!profile_.complete) return;
    const std::vector<Seconds> by_links =
        receiving_times(profile_, around_.table.messages, around_.locations);
    double quickest = kUnknown;
    for (const RankRecord& record : profile_.rank_records) {
      const double time = time_in_receives(record).value;
      const double links = by_links[record.rank.value].value;
      if (time > 0 && links > 0) quickest = std::min(quickest, time / links);
    }
    Transfer share{std::min(quickest, 1.0), 0, quickest};
    share.expected = around_.measured ? share.shortest : (share.shortest + share.longest) / 2;
    for (std::size_t i = 0; i < profile_.rank_records.size(); ++i) {
      const RankRecord& record = profile_.rank_records[i];
      const double links = by_links[record.rank.value].value;
      if (links > 0)
        add_beyond(i, WaitPattern::kLateSender, time_in_receives(record).value, links, share);
    }
  }

  void explain() {
    const bool shortest = std::all_of(one_call_.begin(), one_call_.end(), [](const auto& entry) {
      return entry.second.all_have_shortest;
    });
    std::vector<std::string>& sentences = estimate_.based_on;
    if (!one_call_.empty())
      sentences.push_back(
          shortest ? "Collectives: time beyond a transfer, which takes no less than the "
                     "shortest call of all ranks and no more than the quickest rank's mean."
                   : "Collectives: time beyond the quickest rank's mean; it may have waited, "
                     "too.");
    if (profile_.complete)
      sentences.push_back(
          around_.measured
              ? "Transfers take what the machine's tables say, within such bounds."
              : "Messages take no less than over links of the usual speed and no more "
                "than the quickest rank took. No machine was given: the middle counts.");
    if (calls_any([](const CallKind& kind) { return is_nonblocking_collective(kind.operation); }))
      sentences.push_back(
          "Waiting for nonblocking collectives counts as waiting for senders: their completions "
          "can't be distinguished from those of messages.");
    if (calls_any([](const CallKind& kind) {
          return receives(kind.operation) && kind.timed < kind.calls;
        }))
      sentences.push_back("Not all receives were timed.");
    if (!profile_.complete)
      sentences.push_back("The run was cut short: who waited for messages is not known.");
  }

  template <class Predicate>
  [[nodiscard]] bool calls_any(Predicate predicate) const {
    return std::any_of(profile_.rank_records.begin(), profile_.rank_records.end(),
                       [&](const RankRecord& record) {
                         return std::any_of(record.calls.begin(), record.calls.end(), predicate);
                       });
  }

  // What `time` is beyond `count` times the transfer.
  void add_beyond(std::size_t record, WaitPattern pattern, double time, double count,
                  const Transfer& transfer) {
    WaitingEstimate::OfRank& of_rank = estimate_.ranks[record];
    const auto at = static_cast<std::size_t>(pattern);
    of_rank.waiting[at].value += std::max(time - count * transfer.expected, 0.0);
    of_rank.least[at].value += std::max(time - count * transfer.longest, 0.0);
    of_rank.most[at].value += std::max(time - count * transfer.shortest, 0.0);
  }

  const Profile& profile_;
  const Surroundings& around_;
  std::map<Key, OneCall> one_call_;
  std::map<std::tuple<std::string_view, std::uint64_t, std::uint32_t>, Handed> handed_;
  WaitingEstimate estimate_;
};

Surroundings surroundings_of(const Profile& profile, const Machine* machine) {
  const bool several_nodes = profile.nodes().size() > 1;
  if (!profile.complete) return {CommunicationTable(Machine{}), {}, false, several_nodes};
  // Without a topology nothing is known but which ranks share a node.
  if (machine == nullptr)
    return {CommunicationTable(Machine{}), measured_locations(profile, {}), false, several_nodes};
  return {CommunicationTable(*machine),
          measured_locations(profile, load_topology(machine->topology, machine->name)), true,
          several_nodes};
}

bool has_times(const RankRecord& record) {
  return time_in_receives(record) > Seconds{0} ||
         std::any_of(record.collectives.begin(), record.collectives.end(),
                     [](const CollectiveCalls& calls) { return calls.time > Seconds{0}; });
}

}  // namespace

std::optional<WaitingEstimate> estimate_waiting(const Profile& profile, const Machine* machine) {
  if (std::none_of(profile.rank_records.begin(), profile.rank_records.end(), has_times)) return {};
  const Surroundings around = surroundings_of(profile, machine);
  return Estimator(profile, around).estimate();
}

}  // namespace huddle
