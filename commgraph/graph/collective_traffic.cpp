#include "commgraph/graph/collective_traffic.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "commgraph/graph/detail/collective_algorithms.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

using Operation = CollectiveOperation;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// For numbers that only people read.
void add_up_to_most(std::uint64_t& sum, std::uint64_t amount) {
  sum = amount > kMost - sum ? kMost : sum + amount;
}

void add_checked(std::uint64_t& sum, std::uint64_t amount) {
  if (amount > kMost - sum)
    throw Error("the collectives of the profile have 2^64 calls or bytes, or more");
  sum += amount;
}

void add(CollectivesLeftOut& to, const CollectivesLeftOut& more) {
  add_up_to_most(to.calls, more.calls);
  add_up_to_most(to.bytes.value, more.bytes.value);
  to.operations.insert(more.operations.begin(), more.operations.end());
}

bool is_rooted_at_sender(Operation operation) {
  return operation == Operation::kBroadcast || operation == Operation::kScatter ||
         operation == Operation::kScatterv;
}

// In these the ranks' contributions to one call may be of different size classes.
bool differs_by_rank(Operation operation) {
  return operation == Operation::kGatherv || operation == Operation::kAllgatherv ||
         operation == Operation::kAlltoallv;
}

struct Members {
  const Communicator* communicator = nullptr;  // of MPI_COMM_WORLD: none
  std::uint32_t count = 0;
};

// The ranks' records of the same calls.
struct Calls {
  std::uint64_t calls = 0;  // of the rank with the most
  std::uint64_t bytes = 0;  // of all ranks
  std::uint64_t rank_calls = 0;
  std::uint32_t ranks = 0;
  std::uint32_t last_rank = 0;
  std::uint64_t calls_of_last = 0;

  void count(Rank rank, const CollectiveCalls& record) {
    if (ranks == 0 || rank.value != last_rank) {
      ++ranks;
      last_rank = rank.value;
      calls_of_last = 0;
    }
    add_checked(calls_of_last, record.calls);
    calls = std::max(calls, calls_of_last);
    add_up_to_most(rank_calls, record.calls);
    add_checked(bytes, record.bytes.value);
  }
};

struct CallsKey {
  std::uint64_t communicator = 0;  // 0: MPI_COMM_WORLD
  std::string_view name;
  Operation operation = Operation::kBarrier;
  std::uint8_t size_class = 0;
  std::uint32_t root = 0;  // in MPI_COMM_WORLD, where it is known

  friend auto operator<=>(const CallsKey&, const CallsKey&) = default;
};

struct TaskKey {
  std::uint64_t communicator = 0;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kDissemination;
  std::uint32_t root = 0;

  friend auto operator<=>(const TaskKey&, const TaskKey&) = default;
};

struct Task {
  CollectiveTask task;
  Members members;
  CollectivesLeftOut if_left_out;
};

// Ascending, of MPI_COMM_WORLD.
std::vector<std::uint32_t> ranks_of(const Communicator& communicator) {
  std::vector<std::uint32_t> ranks;
  for (const RankSet::Run& run : communicator.members.runs())
    for (std::uint64_t rank = run.first; rank <= run.last; rank += run.stride)
      ranks.push_back(static_cast<std::uint32_t>(rank));
  return ranks;
}

// Precondition: `rank` is one of its ranks.
std::uint32_t number_in(const Communicator& communicator, std::uint32_t rank) {
  std::uint32_t before = 0;
  for (const RankSet::Run& run : communicator.members.runs()) {
    if (rank <= run.last) return before + (rank - run.first) / run.stride;
    before += (run.last - run.first) / run.stride + 1;
  }
  return before;
}

/// One call of collective_traffic().
class Collector {
 public:
  explicit Collector(const Profile& profile) : profile_(profile) {
    for (const Communicator& communicator : profile.shared.communicators)
      communicators_.emplace(communicator.id, &communicator);
  }

  CollectiveTraffic run(std::uint64_t most_edges) {
    for (const RankRecord& record : profile_.rank_records)
      for (const CollectiveCalls& calls : record.collectives) count(record.rank, calls);
    for (const auto& [key, calls] : calls_) add_task(key, calls);
    expand_within(most_edges);
    return std::move(traffic_);
  }

 private:
  void leave_out(NotExpanded reason, const CollectivesLeftOut& what) {
    add(traffic_.left_out[static_cast<std::size_t>(reason)], what);
  }
  void leave_out(NotExpanded reason, const CollectiveCalls& calls) {
    leave_out(reason, {calls.calls, calls.bytes, {calls.operation}});
  }

  // Without a value if they are not known.
  [[nodiscard]] std::optional<Members> members_of(const CollectiveCalls& calls) const {
    const bool all = calls.communicator == "world" || calls.participants == profile_.ranks;
    if (calls.communicator_id == 0 && !all) return std::nullopt;
    return members_of(calls.communicator_id);
  }
  [[nodiscard]] std::optional<Members> members_of(std::uint64_t id) const {
    if (id == 0) return Members{nullptr, profile_.ranks};
    const auto found = communicators_.find(id);
    if (found == communicators_.end()) return std::nullopt;
    return Members{found->second, found->second->members.size()};
  }

  void count(Rank rank, const CollectiveCalls& calls) {
    if (calls.participants == 1 || calls.calls == 0) return;
    // Their messages were counted one by one.
    if (calls.operation.find("neighbor") != std::string::npos) return;
    const auto operation = collective_named(calls.operation);
    if (!operation) return leave_out(NotExpanded::kOperationUnknown, calls);
    const auto members = members_of(calls);
    if (!members) return leave_out(NotExpanded::kMembersUnknown, calls);
    const Communicator* communicator = members->communicator;
    if (communicator != nullptr) {
      if (!communicator->others.empty()) return leave_out(NotExpanded::kIntercommunicator, calls);
      if (!communicator->members.contains(rank))
        return leave_out(NotExpanded::kMembersUnknown, calls);
    }
    const bool sends_as_root = is_rooted_at_sender(*operation);
    if (sends_as_root && calls.bytes.value == 0) return;
    const CallsKey key{calls.communicator_id, calls.operation, *operation,
                       differs_by_rank(*operation) ? std::uint8_t{0} : calls.size_class,
                       sends_as_root ? rank.value : 0};
    calls_[key].count(rank, calls);
  }

  void add_task(const CallsKey& key, const Calls& calls) {
    const Members members = *members_of(key.communicator);
    if (members.count < 2) return;
    const std::uint64_t contributed = calls.bytes / calls.ranks;
    CollectiveTask task{algorithm_for(key.operation, members.count, contributed / calls.calls),
                        members.count, 0, calls.calls, contributed};
    const CollectivesLeftOut what{calls.rank_calls, Bytes{calls.bytes}, {std::string(key.name)}};
    if (task.algorithm == CollectiveAlgorithm::kCompleteExchange && members.count == profile_.ranks)
      return leave_out(NotExpanded::kSameForAll, what);
    if (is_rooted_at_sender(key.operation))
      task.root =
          members.communicator == nullptr ? key.root : number_in(*members.communicator, key.root);
    const auto [place, is_new] =
        tasks_.try_emplace({key.communicator, task.algorithm, task.root}, Task{task, members, {}});
    if (!is_new) {
      add_checked(place->second.task.calls, task.calls);
      add_checked(place->second.task.bytes, task.bytes);
    }
    add(place->second.if_left_out, what);
  }

  void expand_within(std::uint64_t most_edges) {
    const auto order = [](const Task* task) {
      return std::tuple(most_edges_of(task->task), task->task.algorithm, task->task.calls,
                        task->task.bytes);
    };
    std::vector<const Task*> tasks;
    for (const auto& [key, task] : tasks_) tasks.push_back(&task);
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](const Task* a, const Task* b) { return order(a) < order(b); });
    for (auto first = tasks.begin(); first != tasks.end();) {
      const auto last = std::find_if(
          first, tasks.end(), [&](const Task* task) { return order(task) != order(*first); });
      const auto alike = static_cast<std::uint64_t>(last - first);
      // 2^31 ranks, all pairs, would still be below 2^62 edges.
      const std::uint64_t edges = most_edges_of((*first)->task);
      const bool fits = edges <= most_edges / alike;
      if (fits) most_edges -= edges * alike;
      for (; first != last; ++first)
        if (fits)
          expand_task(**first);
        else
          leave_out(NotExpanded::kTooManyEdges, (*first)->if_left_out);
    }
  }

  void expand_task(const Task& task) {
    std::vector<PairTraffic>& pairs = traffic_.pairs;
    if (task.members.communicator == nullptr)
      return expand(task.task, [&](auto a, auto b, auto messages, auto bytes) {
        pairs.push_back({a, b, messages, bytes});
      });
    const std::vector<std::uint32_t> ranks = ranks_of(*task.members.communicator);
    expand(task.task, [&](auto a, auto b, auto messages, auto bytes) {
      pairs.push_back({ranks[a], ranks[b], messages, bytes});
    });
  }

  const Profile& profile_;
  std::map<std::uint64_t, const Communicator*> communicators_;
  std::map<CallsKey, Calls> calls_;
  std::map<TaskKey, Task> tasks_;
  CollectiveTraffic traffic_;
};

}  // namespace

CollectiveTraffic collective_traffic(const Profile& profile, std::uint64_t most_edges) {
  return Collector(profile).run(most_edges);
}

}  // namespace huddle::commgraph
