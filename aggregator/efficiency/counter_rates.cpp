#include "aggregator/efficiency/counter_rates.hpp"

#include <utility>

#include "aggregator/efficiency/detail/openmp_time.hpp"
#include "profiles/formats/profile/event_counts.hpp"

namespace huddle::efficiency {
namespace {

constexpr double kLineBytes = 64;
constexpr double kLeastCounted = 0.8;
constexpr double kMostInMpi = 0.1;

// Computation in phases that were counted, and time of messages on their way.
struct CountedTime {
  Seconds computation;
  Seconds in_mpi;
};

// Adds the phases of a rank of which both events were counted, each for all of its passes.
void add_phases(const RankRecord& record, ComputationCounts& counts, CountedTime& counted) {
  for (const PhaseRecord& phase : record.phases) {
    if (phase.counted == 0) continue;
    const auto both = counts_of_both(record.events, phase.counts, "instructions", "cycles");
    if (!both) continue;
    const double passes = static_cast<double>(phase.count);
    const double stands_for = passes / static_cast<double>(phase.counted);
    counts.instructions += both->first * stands_for;
    counts.cycles += both->second * stands_for;
    counted.computation += phase.mean * passes;
    counted.in_mpi += phase.mpi_time;
  }
}

}  // namespace

CounterRates counter_rates_of(const Profile& profile) {
  std::pair<double, double> both;
  double misses = 0;
  bool has_both = !profile.rank_records.empty();
  bool has_misses = has_both;
  for (const RankRecord& record : profile.rank_records) {
    const auto own = counts_of_both(record.events, record.event_totals, "instructions", "cycles");
    const auto missed = count_of(record.events, record.event_totals, "cache-misses");
    has_both = has_both && own;
    has_misses = has_misses && missed;
    if (own) both = {both.first + own->first, both.second + own->second};
    misses += missed.value_or(0);
  }
  CounterRates rates;
  if (has_both && both.second > 0) rates.ipc = both.first / both.second;
  if (has_misses && profile.run_time() > Seconds{})
    rates.memory = {{kLineBytes * misses / profile.run_time().value}};
  return rates;
}

std::optional<ComputationCounts> computation_counts_of(const Profile& profile) {
  ComputationCounts counts;
  CountedTime counted;
  for (const RankRecord& record : profile.rank_records) {
    if (threads_of(record.openmp_regions) > 1) return std::nullopt;
    const Seconds before = counted.computation;
    add_phases(record, counts, counted);
    const Seconds own = counted.computation - before;
    if (own < record.computation_time() * kLeastCounted) return std::nullopt;
    counts.time += record.computation_time();
  }
  if (counts.cycles <= 0 || counted.in_mpi > (counted.computation + counted.in_mpi) * kMostInMpi)
    return std::nullopt;
  const double all_by_counted = counts.time / counted.computation;
  counts.instructions *= all_by_counted;
  counts.cycles *= all_by_counted;
  return counts;
}

}  // namespace huddle::efficiency
