#include "tests/evaluation/observed_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "profiles/vocabulary/size_class.hpp"
#include "tests/evaluation/noise.hpp"
#include "tests/evaluation/observed_messages.hpp"

namespace huddle::evaluation {
namespace {

// Relative error of a measured time or count, and by how much whole runs differ.
constexpr double kCounterError = 0.003;
constexpr double kRunError = 0.002;
// Polling inside MPI runs from the private caches.
constexpr double kPollingPerCycle = 1.2;

using Counts = std::array<double, 4>;
const std::vector<std::string> kEvents = {"instructions", "cycles", "cache-references",
                                          "cache-misses"};

struct RankView {
  const Cluster& cluster;
  const Program& program;
  const RankTimes& times;
  Sharers sharers;
  double load = 1;
  /// Iterations of the program for each simulated one.
  double repeated = 1;
  /// The time of this run's computation over what such runs take on average.
  double run_factor = 1;
  Counting counting;
};

Counts counts_of(const RankView& view, std::size_t step) {
  const Computation& work = view.program.steps[step].computation;
  const Pace pace = pace_of(work, view.cluster, view.sharers);
  const double passes = view.load * view.program.iterations;
  const double cycles =
      view.times.computing[step] * view.repeated * view.run_factor * pace.clock_hz;
  return {work.instructions * passes, cycles, pace.references * passes, pace.misses * passes};
}

void add_polling(Counts& counts, double mpi_seconds, double clock_hz) {
  counts[0] += mpi_seconds * clock_hz * kPollingPerCycle;
  counts[1] += mpi_seconds * clock_hz;
}

PhaseRecord blank_phase(std::uint64_t group, unsigned passes) {
  PhaseRecord phase;
  phase.group = group;
  phase.count = passes;
  return phase;
}

// Turns sums over all passes into what a recorder keeps of a phase.
void finish(PhaseRecord& phase, Counts counts, const RankView& view, Noise& noise) {
  const auto passes = static_cast<double>(phase.count);
  const double mean = phase.mean.value / passes * view.run_factor * noise.factor(kCounterError);
  const double deviation = mean * 0.004;
  phase.mean = {mean};
  phase.variance_s2 = deviation * deviation;
  phase.shortest = {mean - 2.5 * deviation};
  phase.longest = {mean + 3 * deviation};
  if (view.counting == Counting::kTimesOnly) return;
  phase.counted = phase.count;
  phase.counted_time = {mean * passes + phase.mpi_time.value};
  add_polling(counts, phase.mpi_time.value, clock_of(view.cluster, view.sharers));
  for (const double count : counts) phase.counts.push_back(count * noise.factor(kCounterError));
}

std::vector<PhaseRecord> phases_of(const RankView& view, Noise& noise) {
  std::vector<PhaseRecord> phases;
  PhaseRecord open = blank_phase(1, view.program.iterations);
  Counts counts{};
  for (std::size_t step = 0; step < view.program.steps.size(); ++step) {
    open.mean += Seconds{view.times.computing[step] * view.repeated};
    const Counts more = counts_of(view, step);
    for (std::size_t event = 0; event < counts.size(); ++event) counts[event] += more[event];
    const Seconds exchanging{view.times.exchanging[step] * view.repeated};
    if (!is_delimiter(view.program.steps[step].exchange.shape)) {
      open.mpi_time += exchanging;
      continue;
    }
    open.delimiter_time = exchanging;
    finish(open, counts, view, noise);
    phases.push_back(open);
    open = blank_phase(phases.size() + 1, view.program.iterations);
    counts = {};
  }
  return phases;
}

void add_totals(RankRecord& record, const RankView& view, Noise& noise) {
  record.events = kEvents;
  Counts totals{};
  for (std::size_t step = 0; step < view.program.steps.size(); ++step) {
    const Counts more = counts_of(view, step);
    for (std::size_t event = 0; event < totals.size(); ++event) totals[event] += more[event];
  }
  add_polling(totals, record.mpi_time.value, clock_of(view.cluster, view.sharers));
  for (const double total : totals)
    record.event_totals.push_back(total * noise.factor(kCounterError));
}

RankRecord record_of(const RankView& view, std::uint32_t rank, const Place& place, Noise& noise) {
  RankRecord record;
  record.rank = {rank};
  record.node = fmt::format("n{:03}", place.node);
  record.pus = place.pus;
  record.peak_resident = {static_cast<std::uint64_t>(view.program.resident_bytes)};
  record.phases = phases_of(view, noise);
  // As the recorder has it: two readings of the clock are the run time, and what was outside MPI is
  // the sum of many short stretches, each with its error.
  Seconds computing;
  for (const PhaseRecord& phase : record.phases)
    computing += phase.mean * static_cast<double>(phase.count);
  double truly_computing = 0;
  for (const double time : view.times.computing) truly_computing += time * view.repeated;
  record.run_time = {view.times.run * view.repeated + (view.run_factor - 1) * truly_computing};
  record.run_time = std::max(record.run_time, computing);
  record.mpi_time = record.run_time - computing;
  record.cpu_time = record.run_time;
  if (view.counting == Counting::kEvents) add_totals(record, view, noise);
  return record;
}

std::vector<PhaseGroup> groups_of(const Program& program) {
  std::vector<std::string> delimiters;
  for (std::size_t step = 0; step < program.steps.size(); ++step) {
    const Shape shape = program.steps[step].exchange.shape;
    if (!is_delimiter(shape)) continue;
    const std::string_view collective = collective_name(shape);
    delimiters.push_back(fmt::format("{} at {}+{:#x}", collective.empty() ? "waitall" : collective,
                                     program.name, 0x1000 + 0x40 * step));
  }
  std::vector<PhaseGroup> groups;
  std::string begin = delimiters.back();
  for (const std::string& end : delimiters) {
    groups.push_back({groups.size() + 1, begin, end});
    begin = end;
  }
  return groups;
}

}  // namespace

Profile observed_profile(const Cluster& cluster, const Program& program, const Placement& placement,
                         const Run& run, Counting counting) {
  Profile profile;
  profile.label = program.name;
  profile.user = "evaluation";
  profile.ranks = static_cast<std::uint32_t>(placement.size());
  profile.executable = "/opt/programs/" + program.name;
  profile.build_id = fmt::format("{:016x}", seed_of(program.name));
  profile.mpi_library = "none: a simulated run";
  if (counting == Counting::kTimesOnly)
    profile.counters_absent_reason = "this cluster does not let users count events";
  const std::vector<Sharers> sharers = sharers_of(placement);
  const double repeated = static_cast<double>(program.iterations) / kSimulatedIterations;
  const std::uint64_t seed =
      seed_of(fmt::format("{} {} {} {} {}", program.name, cluster.name, sharers.front().die,
                          sharers.front().package, sharers.front().node));
  const double run_factor = Noise(seed).factor(kRunError);
  for (std::uint32_t rank = 0; rank < profile.ranks; ++rank) {
    const Place& place = placement[rank];
    Noise noise(seed, rank + 1);
    const RankView view = {cluster,  program,    run[rank], sharers[rank], load_of(program, rank),
                           repeated, run_factor, counting};
    profile.rank_records.push_back(record_of(view, rank, place, noise));
    add_messages(profile.rank_records.back(), program, profile.ranks, run[rank], repeated);
  }
  profile.shared.phase_groups = groups_of(program);
  profile.shared.communicators = communicators_of(program, profile.ranks);
  return profile;
}

}  // namespace huddle::evaluation
