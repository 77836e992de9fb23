#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

namespace huddle::waitstates {

/// How long computation takes in a replay.
class ComputationTimes {
 public:
  virtual ~ComputationTimes() = default;
  /// Ticks of the computation before `activity` of `rank`, or with first_of(rank + 1) behind the
  /// last; as measured it took `measured`.
  [[nodiscard]] virtual std::uint64_t ticks(std::uint32_t rank, std::uint64_t activity,
                                            std::uint64_t measured) const = 0;
};

/// As measured.
class MeasuredTimes final : public ComputationTimes {
 public:
  [[nodiscard]] std::uint64_t ticks(std::uint32_t, std::uint64_t,
                                    std::uint64_t measured) const override {
    return measured;
  }
};

/// Receives each activity of a replay, those of a rank in their order.
class ReplayListener {
 public:
  virtual ~ReplayListener() = default;
  virtual void computed(std::uint32_t rank, std::uint64_t activity, std::uint64_t ticks) = 0;
  virtual void communicated(std::uint32_t rank, std::uint64_t activity, std::uint64_t waiting,
                            std::uint64_t transfer) = 0;
};

/// The time that an MPI call takes beyond what it waits for.
enum class Network : std::uint8_t {
  kMeasured,  ///< as in the measured run
  kIdeal,     ///< no time, but for MPI_Init and MPI_Finalize
};

/// Replays a log with other computing times, or on another network. With neither changed, the run
/// is the measured one. Memory grows with the number of ranks, temporary files with the log's
/// length. Not thread-safe.
class Replay {
 public:
  /// Throws SystemError. `listener` may be null. Keeps references to neither of them.
  Replay(const ActivityLog& log, const ComputationTimes& times, ReplayListener* listener = nullptr,
         Network network = Network::kMeasured);

  [[nodiscard]] std::uint64_t run_time() const { return run_time_; }
  [[nodiscard]] std::uint64_t end_of(std::uint32_t rank) const { return states_[rank].time; }
  [[nodiscard]] std::uint64_t enter(std::uint64_t activity) const { return enters_[activity]; }
  [[nodiscard]] std::uint64_t leave(std::uint64_t activity) const;
  [[nodiscard]] ActivityLog::Cause cause_of(std::uint64_t activity) const;
  /// Links that were ignored because ranks waited for each other in a circle.
  [[nodiscard]] std::uint64_t circles() const { return circles_; }

  /// Calls begins(rank, activity) and ends(rank, activity) for all activities, in an order in which
  /// each comes before what it waited for: the replay's own, backwards.
  template <class Begins, class Ends>
  void each_backwards(const Begins& begins, const Ends& ends) const {
    std::vector<std::uint64_t> events;  // by rank: how many are left, two for each activity
    for (std::uint32_t rank = 0; rank < log_.ranks(); ++rank)
      events.push_back(2 * (log_.first_of(rank + 1) - log_.first_of(rank)));
    for (std::size_t chunk = order_.size(); chunk-- > 0;)
      for (std::uint64_t turn = chunk + 1 == order_.size() ? in_last_chunk_ : kChunk; turn-- > 0;) {
        const std::uint32_t rank = order_[chunk][turn].rank;
        for (std::uint32_t i = 0; i < order_[chunk][turn].events; ++i) {
          keep_mapped_files_small();
          const std::uint64_t event = --events[rank];
          const std::uint64_t activity = log_.first_of(rank) + event / 2;
          if (event % 2 == 0)
            begins(rank, activity);
          else
            ends(rank, activity);
        }
      }
  }

 private:
  static constexpr std::uint64_t kChunk = 1U << 18U;
  struct Turn {
    std::uint32_t rank;
    std::uint32_t events;
  };
  struct State {
    std::uint64_t next = 0;      // activity
    std::uint64_t time = 0;      // of its begin, or of the end of the one before
    std::uint64_t until = 0;     // what it waits for, as far as that is known
    std::uint64_t measured = 0;  // the same in the measured run
    std::uint64_t ticket = 0;    // of its latest wait
    std::uint32_t link = 0;      // the first that is not satisfied yet
    bool inside = false;
    bool waits = false;
    bool done = false;
  };
  struct Waiter {
    std::uint64_t needs;
    std::uint64_t ticket;
    std::uint32_t rank;
    friend bool operator>(const Waiter& a, const Waiter& b) { return a.needs > b.needs; }
  };
  struct InstanceState {
    std::uint64_t last;      // activity + 1; 0: nobody has arrived
    std::uint64_t progress;  // kAll: how many have arrived; kRoot: whether the root has; kScan: up
                             // to where all have
  };
  using Waiters = std::vector<Waiter>;  // a heap, the least need first

  [[nodiscard]] std::uint64_t transfer_of(std::uint64_t activity, std::uint64_t measured) const;
  void run();
  void advance(std::uint32_t rank);
  void begin(std::uint32_t rank, State& state);
  bool links_are_there(std::uint32_t rank, State& state);
  bool is_there(const ActivityLink& link, std::uint32_t rank, State& state);
  void end(std::uint32_t rank, State& state);
  void finish(std::uint32_t rank, State& state);
  void join(const ActivityLink& link, std::uint64_t activity);
  void note_begin(InstanceState& state, std::uint64_t activity);
  void extend_scan(const CollectiveInstance& instance, InstanceState& state);
  [[nodiscard]] static std::uint64_t need_of(const ActivityLink& link,
                                             const CollectiveInstance& instance);
  [[nodiscard]] std::uint64_t waits_for(const ActivityLink& link) const;
  void wait(Waiters& waiters, std::uint64_t needs, std::uint32_t rank);
  void wake(Waiters& waiters, std::uint64_t reached);
  void break_circle();
  void note_turn(std::uint32_t rank, std::uint64_t events);

  const ActivityLog& log_;
  const ComputationTimes* times_;
  ReplayListener* listener_;
  Network network_;
  std::vector<bool> sets_up_;  // by call path
  DiskArray<std::uint64_t> enters_;
  DiskArray<InstanceState> collectives_;
  DiskArray<std::uint64_t> scan_begins_;  // by place: activity + 1
  DiskArray<std::uint64_t> scan_last_;    // by place: the last to begin up to there
  std::vector<State> states_;
  std::vector<Waiters> waiting_for_rank_;
  std::unordered_map<std::uint64_t, Waiters> waiting_for_instance_;
  std::vector<std::uint32_t> ready_;
  std::vector<DiskArray<Turn>> order_;
  std::uint64_t in_last_chunk_ = kChunk;
  std::uint64_t tickets_ = 0;
  std::uint64_t run_time_ = 0;
  std::uint64_t circles_ = 0;
  std::uint32_t done_ = 0;
};

/// `ticks` times `stretch`, to the nearest tick.
inline std::uint64_t stretched(std::uint64_t ticks, double stretch) {
  if (stretch == 1) return ticks;
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(ticks) * stretch));
}

/// Multiplies all computation of a rank by its factor. Keeps a reference to the vector.
class RankStretches final : public ComputationTimes {
 public:
  explicit RankStretches(const std::vector<double>& by_rank) : by_rank_(by_rank) {}
  [[nodiscard]] std::uint64_t ticks(std::uint32_t rank, std::uint64_t,
                                    std::uint64_t measured) const override {
    return stretched(measured, by_rank_[rank]);
  }

 private:
  const std::vector<double>& by_rank_;
};

}  // namespace huddle::waitstates
