#include "aggregator/forecast/sizes/rows_of_profiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "aggregator/predict/computation/frequency_scaling.hpp"
#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/predict/energy/profile_energy.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "commgraph/topology/node_topology.hpp"

namespace huddle::forecast {
namespace {

std::size_t place_of(const RankRecord& record, const std::string& event) {
  return static_cast<std::size_t>(std::find(record.events.begin(), record.events.end(), event) -
                                  record.events.begin());
}

// One rank's passes of a group, in all three tables.
struct RankSum {
  double time = 0;
  double passes = 0;
  double counted = 0;
  std::vector<double> counts;  // of the counted passes
};

using RankSums = std::map<std::uint64_t, RankSum>;

void add(const std::vector<PhaseRecord>& phases, const std::vector<std::size_t>& places,
         RankSums& sums) {
  for (const PhaseRecord& phase : phases) {
    RankSum& sum = sums[phase.group];
    const auto passes = static_cast<double>(phase.count);
    sum.time += phase.mean.value * passes;
    sum.passes += passes;
    sum.counts.resize(places.size());
    if (phase.counted == 0) continue;
    sum.counted += static_cast<double>(phase.counted);
    for (std::size_t i = 0; i < places.size(); ++i)
      sum.counts[i] += places[i] < phase.counts.size() ? phase.counts[places[i]]
                                                       : std::numeric_limits<double>::quiet_NaN();
  }
}

RankSums sums_of(const RankRecord& record, const std::vector<std::string>& events) {
  std::vector<std::size_t> places;
  for (const std::string& event : events) places.push_back(place_of(record, event));
  RankSums sums;
  add(record.phases, places, sums);
  return sums;
}

// "allreduce at norm+0x40 < main+0x1c10" -> "allreduce at norm+0x40".
std::string_view innermost(std::string_view delimiter) {
  return delimiter.substr(0, delimiter.find(" < "));
}

// Work of a run's ranks in one phase group.
struct RegionSum {
  Seconds time;      // mean over all ranks
  double calls = 0;  // passes, all ranks together
  // Indexed by event, as the sum over the ranks; NaN for one that a rank did not count.
  std::vector<double> counts;
};

// Indexed by group. `events`: each rank counted all of them.
std::map<std::uint64_t, RegionSum> region_sums(const Profile& profile,
                                               const std::vector<std::string>& events) {
  const auto ranks = static_cast<double>(profile.rank_records.size());
  std::map<std::uint64_t, RegionSum> regions;
  for (const RankRecord& record : profile.rank_records)
    for (const auto& [group, sum] : sums_of(record, events)) {
      if (sum.passes <= 0) continue;
      RegionSum& region = regions[group];
      region.time += Seconds{sum.time / ranks};
      region.calls += sum.passes;
      region.counts.resize(events.size());
      // Counted passes stand for those that were not.
      for (std::size_t i = 0; i < events.size(); ++i)
        region.counts[i] += sum.counted > 0 ? sum.counts[i] * (sum.passes / sum.counted)
                                            : std::numeric_limits<double>::quiet_NaN();
    }
  return regions;
}

// Total of an event in the whole run, over the ranks.
double event_total(const Profile& profile, const std::string& event) {
  double sum = 0;
  for (const RankRecord& record : profile.rank_records) sum += forecast::event_total(record, event);
  return sum;
}

// The events that each rank of each of these counted, with a total for each.
std::vector<std::string> events_of_all(const std::vector<const Profile*>& profiles) {
  std::vector<std::string> common = profiles.front()->rank_records.front().events;
  for (const Profile* profile : profiles)
    std::erase_if(common, [&](const std::string& event) {
      return !std::isfinite(event_total(*profile, event));
    });
  return common;
}

constexpr std::string_view kRest = "MPI, waiting and the rest";
constexpr std::string_view kWhole = "the program";

// PUs of a rank if it was on ones of its own, and kept more than one of them busy.
double own_pus(const Profile& profile) {
  const double busy = predict::busy_cores(profile).value_or(1);
  constexpr double kMoreThanOne = 1.5;
  if (busy < kMoreThanOne) return 1;
  std::map<std::string, std::set<std::uint32_t>> used;
  const std::size_t each = profile.rank_records.front().pus.size();
  bool apart = each > 1 && profile.ranks_per_node() > 1;
  for (const RankRecord& record : profile.rank_records) {
    apart = apart && record.pus.size() == each;
    for (const std::uint32_t pu : record.pus.members())
      apart = used[record.node].insert(pu).second && apart;
  }
  return apart ? static_cast<double>(each) : std::round(busy);
}

// Size of the largest team of a region of OpenMP, in any rank; none where no region is known.
std::optional<double> largest_team(const Profile& profile) {
  std::uint32_t largest = 0;
  for (const RankRecord& record : profile.rank_records)
    for (const OpenMpRegionRecord& region : record.openmp_regions)
      largest = std::max(largest, region.largest_team);
  return largest > 0 ? std::optional<double>(largest) : std::nullopt;
}

// MPI functions that the program called, all ranks together.
double calls_of_mpi(const Profile& profile) {
  double calls = 0;
  for (const RankRecord& record : profile.rank_records)
    for (const CallKind& kind : record.calls) calls += static_cast<double>(kind.calls);
  return calls;
}

class RowsMaker {
 public:
  RowsMaker(const std::vector<SizedRun>& runs, const Machine* machine)
      : runs_(runs), machine_(machine) {
    for (const SizedRun& run : runs) {
      profiles_.push_back(&run.profile);
      shared_.merge(run.profile.shared);
    }
    events_ = events_of_all(profiles_);
    names_ = region_names(shared_.phase_groups);
    if (machine != nullptr) node_ = commgraph::load_topology(machine->topology, machine->name);
  }

  [[nodiscard]] CollectedRows rows() {
    for (const Profile* profile : profiles_) regions_.push_back(region_sums(*profile, events_));
    leave_uncounted_to_the_rest();
    make_columns();
    for (std::size_t run = 0; run < runs_.size(); ++run) add_run(run);
    drop_what_nobody_knows();
    return std::move(rows_);
  }

 private:
  void leave_uncounted_to_the_rest() {
    std::set<std::uint64_t> uncounted;
    for (const auto& of_run : regions_)
      for (const auto& [group, sum] : of_run)
        if (std::any_of(sum.counts.begin(), sum.counts.end(),
                        [](double count) { return !std::isfinite(count); }))
          uncounted.insert(group);
    for (auto& of_run : regions_)
      std::erase_if(of_run, [&](const auto& region) { return uncounted.count(region.first) > 0; });
    if (!uncounted.empty())
      note(
          fmt::format("{} of {} phase groups belong to the rest: their events were not counted "
                      "in every run.",
                      uncounted.size(), names_.size()));
  }

  void make_columns() {
    const auto column = [&](ColumnRole role, std::string_view name, std::string_view unit) {
      rows_.table.columns.push_back({role, std::string(name), std::string(unit), {}});
    };
    column(ColumnRole::size, "size", "");
    column(ColumnRole::processes, "processes", "");
    column(ColumnRole::threads, "threads", "");
    frequencies_ = frequencies_of_runs();
    if (!frequencies_.empty()) column(ColumnRole::frequency, "frequency", "GHz");
    column(ColumnRole::nodes, "nodes", "");
    column(ColumnRole::ranks_per_node, "ranks_per_node", "");
    if (node_) column(ColumnRole::packages, "packages", "");
    column(ColumnRole::time, "time", "s");
    energies_ = energies_of_runs();
    if (!energies_.empty()) column(ColumnRole::energy, "energy", "J");
    column(ColumnRole::variable, "calls", "");
    for (const std::string& event : events_)
      column(ColumnRole::variable, event, event.ends_with("-clock") ? "ns" : "");
  }

  // Empty if the runs had one, or do not know it. What the clocks of one setting come to differs a
  // little from run to run.
  [[nodiscard]] std::vector<double> frequencies_of_runs() {
    constexpr double kOneSetting = 0.05;
    std::vector<double> found;
    for (const Profile* profile : profiles_) {
      const std::optional<Hertz> frequency = predict::effective_frequency(*profile);
      if (!frequency) return {};
      found.push_back(frequency->value);
    }
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    if (*most - *least < kOneSetting * *most) return {};
    const bool known = machine_ != nullptr && machine_->frequencies.has_value();
    for (std::size_t run = 0; run < found.size(); ++run)
      found[run] =
          known
              ? predict::settable_frequency_of(*profiles_[run], *machine_->frequencies).value / 1e9
              : std::round(found[run] / 1e8) / 10;
    note(known ? "The frequency is the settable one next to cycles by CPU time."
               : "The frequency is cycles by CPU time, rounded to 0.1 GHz.");
    return found;
  }

  [[nodiscard]] std::vector<double> energies_of_runs() {
    std::vector<double> found;
    for (const Profile* profile : profiles_)
      if (const std::optional<Joules> energy = predict::energy_by_meters(*profile))
        found.push_back(energy->value);
    if (found.size() == runs_.size()) {
      note("Energy was metered on the nodes for each run as a whole; a row has its share by time.");
      return found;
    }
    const std::size_t metered = found.size();
    if (machine_ == nullptr || !machine_->power) {
      if (metered > 0)
        note(fmt::format("There is no energy: only {} of {} runs were metered.", metered,
                         runs_.size()));
      return {};
    }
    found.clear();
    for (const Profile* profile : profiles_) found.push_back(computed_energy(*profile));
    note(
        fmt::format("Energy was not measured: it is computed from the power figures of {}, run "
                    "by run, and a row has its share by time.",
                    machine_->name));
    return found;
  }

  [[nodiscard]] double computed_energy(const Profile& profile) const {
    const predict::BusyParts busy =
        predict::busy_parts(predict::measured_reference(profile, *node_).locations, *node_);
    return predict::energy_of(*machine_->power, busy, profile.run_time()).value;
  }

  // Used on each node; on the one that used most, where they differ.
  [[nodiscard]] double packages_of(const Profile& profile) const {
    const predict::BusyParts busy =
        predict::busy_parts(predict::measured_reference(profile, *node_).locations, *node_);
    return std::ceil(static_cast<double>(busy.packages) / static_cast<double>(busy.nodes));
  }

  void add_run(std::size_t run) {
    const Profile& profile = *profiles_[run];
    RegionSum rest;
    rest.time = profile.run_time();
    rest.calls = calls_of_mpi(profile);
    for (const std::string& event : events_) rest.counts.push_back(event_total(profile, event));
    for (const auto& [group, sum] : regions_[run]) {
      if (sum.time <= Seconds{0}) continue;
      add_row(run, names_.at(group), sum);
      rest.time = rest.time - sum.time;
      for (std::size_t i = 0; i < events_.size(); ++i)
        rest.counts[i] = std::max(rest.counts[i] - sum.counts[i], 0.0);
    }
    if (rest.time > Seconds{0}) add_row(run, regions_[run].empty() ? kWhole : kRest, rest);
  }

  void add_row(std::size_t run, std::string_view region, const RegionSum& sum) {
    const Profile& profile = *profiles_[run];
    rows_.table.region.push_back(index_of(region));
    auto column = rows_.table.columns.begin();
    const auto put = [&](double value) { (column++)->values.push_back(value); };
    put(runs_[run].size);
    put(profile.ranks);
    // Threads that wait or share cores keep fewer cores busy than they are.
    if (const std::optional<double> team = largest_team(profile))
      put(*team);
    else
      put(node_ ? predict::cores_of_each_rank(profile, *node_) : own_pus(profile));
    if (!frequencies_.empty()) put(frequencies_[run]);
    put(static_cast<double>(profile.nodes().size()));
    put(profile.ranks_per_node());
    if (node_) put(packages_of(profile));
    put(sum.time.value);
    if (!energies_.empty()) put(energies_[run] * (sum.time / profile.run_time()));
    put(sum.calls);
    for (const double count : sum.counts) put(count);
  }

  std::uint32_t index_of(std::string_view region) {
    std::vector<std::string>& regions = rows_.table.regions;
    const auto found = std::find(regions.begin(), regions.end(), region);
    if (found != regions.end()) return static_cast<std::uint32_t>(found - regions.begin());
    regions.emplace_back(region);
    return static_cast<std::uint32_t>(regions.size() - 1);
  }

  // Profiles of tools that count no calls.
  void drop_what_nobody_knows() {
    std::erase_if(rows_.table.columns, [](const MeasuredColumn& column) {
      return column.role == ColumnRole::variable &&
             std::all_of(column.values.begin(), column.values.end(),
                         [](double value) { return value == 0; });
    });
    if (events_.empty())
      note("There are no hardware counters: not every rank of every run had them.");
  }

  void note(std::string text) { rows_.notes.push_back(std::move(text)); }

  const std::vector<SizedRun>& runs_;
  const Machine* machine_;
  std::optional<commgraph::NodeTopology> node_;
  std::vector<const Profile*> profiles_;
  SharedTables shared_;
  std::vector<std::string> events_;
  std::map<std::uint64_t, std::string> names_;
  std::vector<std::map<std::uint64_t, RegionSum>> regions_;  // by run
  std::vector<double> frequencies_;                          // by run
  std::vector<double> energies_;                             // by run
  CollectedRows rows_;
};

}  // namespace

std::map<std::uint64_t, std::string> region_names(const std::vector<PhaseGroup>& groups) {
  const auto short_name = [](const PhaseGroup& group) {
    return fmt::format("{} to {}", innermost(group.begin), innermost(group.end));
  };
  const auto long_name = [](const PhaseGroup& group) {
    return fmt::format("{} to {}", group.begin, group.end);
  };
  std::map<std::string, std::size_t> uses;
  for (const PhaseGroup& group : groups) {
    ++uses[short_name(group)];
    if (long_name(group) != short_name(group)) ++uses[long_name(group)];
  }
  std::map<std::uint64_t, std::string> names;
  for (const PhaseGroup& group : groups) {
    std::string name = short_name(group);
    if (uses[name] > 1) name = long_name(group);
    if (uses[name] > 1) name += fmt::format(" ({:x})", group.id);
    names[group.id] = std::move(name);
  }
  return names;
}

CollectedRows rows_of_profiles(const std::vector<SizedRun>& runs, const Machine* machine) {
  return RowsMaker(runs, machine).rows();
}

}  // namespace huddle::forecast
