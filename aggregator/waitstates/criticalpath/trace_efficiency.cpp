#include "aggregator/waitstates/criticalpath/trace_efficiency.hpp"

#include <algorithm>
#include <vector>

#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"

namespace huddle::waitstates {
namespace {

// The time that each rank computed, and was in MPI but for its set-up.
class WindowTimes final : public ReplayListener {
 public:
  explicit WindowTimes(const ActivityLog& log)
      : log_(log), sets_up_(paths_of_set_up(log)), computation_(log.ranks()), all_(log.ranks()) {}

  void computed(std::uint32_t rank, std::uint64_t, std::uint64_t ticks) override {
    computation_[rank] += ticks;
    all_[rank] += ticks;
  }
  void communicated(std::uint32_t rank, std::uint64_t activity, std::uint64_t waiting,
                    std::uint64_t transfer) override {
    const std::uint32_t path = log_[activity].call_path;
    if (path >= sets_up_.size() || !sets_up_[path]) all_[rank] += waiting + transfer;
  }

  [[nodiscard]] std::uint64_t longest() const {
    return all_.empty() ? 0 : *std::ranges::max_element(all_);
  }
  [[nodiscard]] const std::vector<std::uint64_t>& computation() const { return computation_; }

 private:
  const ActivityLog& log_;
  std::vector<bool> sets_up_;
  std::vector<std::uint64_t> computation_;
  std::vector<std::uint64_t> all_;
};

}  // namespace

TraceEfficiency trace_efficiency_of(const ActivityLog& log) {
  TraceEfficiency found;
  WindowTimes measured(log);
  Replay(log, MeasuredTimes(), &measured);
  WindowTimes ideal(log);
  const Replay on_ideal_network(log, MeasuredTimes(), &ideal, Network::kIdeal);
  found.run_time = measured.longest();
  found.ideal_run_time = ideal.longest();
  found.circles = on_ideal_network.circles();
  for (const std::uint64_t ticks : measured.computation()) {
    found.longest_computation = std::max(found.longest_computation, ticks);
    found.mean_computation += static_cast<double>(ticks) / log.ranks();
  }
  return found;
}

}  // namespace huddle::waitstates
