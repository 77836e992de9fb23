#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/replay_message.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// The members of a subject's collectives: of a communicator, or of a window's. Of an
/// intercommunicator, both sides, one after the other.
class Members {
 public:
  explicit Members(const traces::TraceDefinitions& definitions) : definitions_(definitions) {}

  /// Whether the trace defines it.
  [[nodiscard]] bool defined(std::uint32_t subject) const;
  [[nodiscard]] std::uint32_t count(std::uint32_t subject) const;
  /// How many of them are on the first side; all, unless it is an intercommunicator.
  [[nodiscard]] std::uint32_t first_side(std::uint32_t subject) const;
  [[nodiscard]] std::uint32_t rank(std::uint32_t subject, std::uint32_t place) const;
  /// Of a rank; kNobody if it is none of them.
  [[nodiscard]] std::uint32_t place(std::uint32_t subject, std::uint32_t rank);

 private:
  [[nodiscard]] const traces::TraceCommunicator& communicator(std::uint32_t subject) const;

  const traces::TraceDefinitions& definitions_;
  FlatMap<std::uint32_t> places_;  // 0: not looked up, 1: none of them, else the place and 2
};

/// Matches the arrivals of members at instances of collectives, and answers each arrival exactly
/// once until when it had to wait, as soon as that is known. Those that wait for nobody are
/// answered when all have come.
class CollectiveMatcher {
 public:
  using Answer = std::function<void(const ReplayMessage&)>;

  /// All live longer than this. `ended_ranks`: of these nothing more will come; empty: of none.
  CollectiveMatcher(Members& members, const std::vector<bool>& ended_ranks, Answer answer)
      : members_(members), ended_(ended_ranks), answer_(std::move(answer)) {}

  void arrive(const ReplayMessage& arrival);

  /// More ranks have ended: members that wait for one of them are answered that it is not known.
  /// Returns how many.
  std::uint64_t give_up();

  /// Instances that not all members came to, so far.
  [[nodiscard]] std::uint64_t unfinished() const { return given_up_ + instances_.living(); }

 private:
  struct Arrival {
    std::uint64_t time = 0;
    std::uint32_t place = 0;
    std::uint32_t location = 0;
    std::uint32_t ticket = 0;
    bool answered = false;
  };
  struct Instance {
    WideKey key;  // what it is and of whom, number
    traces::Collective collective = traces::Collective::kNone;
    std::uint32_t members = 0;
    std::uint32_t first_side = 0;
    std::uint32_t expected = 0;  // how many of the members come
    std::vector<Arrival> arrivals;
    std::uint64_t latest[2] = {0, 0};  // of each side
    std::uint64_t latest_but_root = 0;
    std::uint64_t root_time = 0;
    std::uint32_t root = traces::kNobody;
    bool root_came = false;
    // Scans: arrivals by place, how many of the lowest have come, and the latest of these.
    std::vector<std::uint32_t> by_place;
    std::uint32_t ready = 0;
    std::uint64_t latest_ready = 0;
  };

  std::uint32_t instance_of(const ReplayMessage& arrival);
  void note(Instance& instance, const ReplayMessage& arrival);
  void answer_what_is_known(Instance& instance);
  void answer_scan(Instance& instance);
  void answer_all(Instance& instance);
  void answer(Arrival& to, std::uint64_t until, bool known = true);
  std::uint64_t give_up(std::uint32_t instance);
  void forget(std::uint32_t instance);
  // By place: who has not come and never will.
  [[nodiscard]] std::vector<bool> lost_places(const Instance& instance) const;

  Members& members_;
  const std::vector<bool>& ended_;
  Answer answer_;
  Pool<Instance> instances_;
  FlatMap<std::uint32_t> by_key_;
  std::uint64_t given_up_ = 0;
};

}  // namespace huddle::waitstates
