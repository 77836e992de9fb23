// The output of huddle show for programs.

#include <nlohmann/json.hpp>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/efficiency/busiest_pair.hpp"
#include "aggregator/efficiency/counter_rates.hpp"
#include "aggregator/efficiency/report/efficiency_json.hpp"
#include "aggregator/efficiency/run_efficiency.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

Json totals_json(const Profile& profile, render::PairMatrix traffic) {
  const render::PairMatrixTotals totals = render::totals_of(profile, traffic);
  return {{"messages", totals.messages}, {"bytes", totals.bytes}};
}

// Means are over the ranks that had any.
Json spread_json(const render::TimeSpread& spread) {
  return {{"ranks", spread.ranks()},
          {"sum_s", spread.sum().value},
          {"mean_s", spread.mean().value},
          {"longest_s", spread.longest().value},
          {"slowest_rank", spread.slowest().value},
          {"imbalance", spread.imbalance()}};
}

// An array of what `encode` makes of each element.
template <class Elements, class Encode>
Json array_of(const Elements& elements, Encode&& encode) {
  Json array = Json::array();
  for (const auto& element : elements) array.push_back(encode(element));
  return array;
}

Json calls_json(const render::CallSummary& call) {
  return {{"operation", call.operation},
          {"sort", name_of(render::sort_of_call(call.operation))},
          {"calls", call.calls},
          {"timed", call.timed},
          {"time", spread_json(call.time)}};
}

Json collective_json(const render::CollectiveSummary& collective) {
  return {{"operation", collective.operation},
          {"communicator", collective.communicator},
          {"calls", collective.calls},
          {"bytes", collective.bytes.value},
          {"time", spread_json(collective.time)}};
}

Json phase_json(const render::PhaseGroupSummary& phase, const PlaceNames& places) {
  return {{"id", phase.group.id},
          {"begin", phase.group.begin},
          {"end", phase.group.end},
          {"begin_functions", places.named(phase.group.begin)},
          {"end_functions", places.named(phase.group.end)},
          {"count", phase.count},
          {"computation", spread_json(phase.computation)},
          {"mpi", spread_json(phase.mpi_time)},
          {"delimiter", spread_json(phase.delimiter_time)}};
}

Json counters_json(const Profile& profile, const render::RunSummary& summary) {
  return {
      {"measured", profile.counters_absent_reason.empty()},
      {"reason", profile.counters_absent_reason},
      {"totals", array_of(summary.counters, [](const render::CounterSummary& counter) {
         return Json{{"event", counter.event}, {"total", counter.total}, {"ranks", counter.ranks}};
       })}};
}

Json region_json(const render::OpenMpRegionSummary& region, const PlaceNames& places) {
  return {{"id", region.region.id},
          {"place", region.region.place},
          {"name", places.named_region(region.region.place)},
          {"passes", region.passes},
          {"timed_passes", region.timed_passes},
          {"groups", region.groups},
          {"time", spread_json(region.time)},
          {"serial", spread_json(region.serial)},
          {"smallest_team", region.smallest_team},
          {"largest_team", region.largest_team},
          {"observed_passes", region.observed_passes},
          {"busy_share", region.observed_passes > 0 ? Json(region.busy_share) : Json()},
          {"busiest_share", region.observed_passes > 0 ? Json(region.busiest_share) : Json()},
          {"counted_passes", region.counted_passes},
          {"ipc", region.ipc ? Json(*region.ipc) : Json()},
          {"cache_misses_per_s", region.misses_per_s ? Json(*region.misses_per_s) : Json()}};
}

Json balancing_json(const render::BalancingSummary& all) {
  return {{"ranks", all.ranks},
          {"state", all.agreed.state},
          {"imbalance", all.agreed.imbalance ? Json(*all.agreed.imbalance) : Json()},
          {"beyond_clocks", all.agreed.beyond_clocks},
          {"points", all.agreed.points},
          {"overruns", all.agreed.overruns},
          {"lost_s", all.agreed.lost.value},
          {"elapsed_s", all.agreed.elapsed.value},
          {"clock_changes", all.clock_changes},
          {"top_hz", all.top.value},
          {"lowest_hz", all.lowest.value},
          {"mean_share", all.mean_share}};
}

Json identity_json(const Profile& profile) {
  const render::PairMatrixTotals totals =
      render::totals_of(profile, render::PairMatrix::kPointToPoint);
  return {{"label", profile.label},
          {"user", profile.user},
          {"executable", profile.executable},
          {"problem_size", profile.problem_size ? Json(*profile.problem_size) : Json()},
          {"ranks", profile.ranks},
          {"nodes", render::known_nodes(profile)},
          {"complete", profile.complete},
          {"cut_short_reason", profile.cut_short_reason},
          {"run_time_s", profile.run_time().value},
          {"computation_s", profile.mean_computation_time().value},
          {"messages", totals.messages},
          {"bytes", totals.bytes},
          {"neighbours", totals_json(profile, render::PairMatrix::kNeighbours)},
          {"one_sided", totals_json(profile, render::PairMatrix::kOneSided)},
          {"mpi", profile.mpi_library}};
}

Json wait_states_json(const WaitSummary& waits) {
  return {{"measured", true},
          {"origin", waits.origin},
          {"run_time_s", waits.run_time.value},
          {"stretched_run_time_s", waits.stretched_run_time.value},
          {"slack", spread_json(slack_of(waits))},
          {"patterns", array_of(waits.patterns, [](const PatternWaitSummary& pattern) {
             return Json{{"pattern", pattern.pattern},
                         {"time", spread_json(spread_of(pattern.waited))}};
           })}};
}

}  // namespace

std::string show_json(const Profile& profile, const render::RunSummary& summary,
                      const PlaceNames& names) {
  Json answer = identity_json(profile);
  answer["computation"] = spread_json(summary.computation);
  answer["mpi_time"] = spread_json(summary.mpi_time);
  answer["calls"] = array_of(summary.calls, calls_json);
  answer["collectives"] = array_of(summary.collectives, collective_json);
  if (profile.wait_states) answer["wait_states"] = wait_states_json(*profile.wait_states);
  answer["phase_groups"] =
      array_of(summary.phase_groups,
               [&](const render::PhaseGroupSummary& phase) { return phase_json(phase, names); });
  if (!summary.openmp_regions.empty())
    answer["openmp_regions"] = array_of(
        summary.openmp_regions,
        [&](const render::OpenMpRegionSummary& region) { return region_json(region, names); });
  if (!summary.region_periods.empty())
    answer["region_periods"] =
        array_of(summary.region_periods, [](const render::RegionPeriodSummary& period) {
          return Json{{"length", period.length},
                      {"ranks", period.ranks},
                      {"passes", period.passes},
                      {"regions", period.regions}};
        });
  if (!summary.periods.empty())
    answer["periods"] = array_of(summary.periods, [](const render::PeriodSummary& period) {
      return Json{{"length", period.length},
                  {"ranks", period.ranks},
                  {"passes", period.passes},
                  {"groups", period.groups}};
    });
  if (!summary.packed_regions.empty())
    answer["packed_regions"] =
        array_of(summary.packed_regions, [&](const render::PackedRegionSummary& packed) {
          return Json{{"id", packed.region.id},
                      {"place", packed.region.place},
                      {"name", names.named_region(packed.region.place)},
                      {"team", packed.team},
                      {"cores", packed.cores},
                      {"packages", packed.packages},
                      {"ranks", packed.ranks},
                      {"passes", packed.passes},
                      {"mean_s", packed.mean.value},
                      {"usual_mean_s", packed.usual_mean.value},
                      {"acting_ranks", packed.acting_ranks},
                      {"acted_passes", packed.acted_passes},
                      {"acted_mean_s", packed.acted_mean.value}};
        });
  answer["counters"] = counters_json(profile, summary);
  answer["absent_events"] = array_of(profile.shared.absent_events, [](const AbsentEvent& absent) {
    return Json{{"event", absent.event}, {"reason", absent.reason}, {"ranks", absent.ranks}};
  });
  answer["notes"] = profile.notes;
  answer["energy"] = array_of(summary.meters, [](const render::MeterSummary& meter) {
    return Json{{"meter", meter.meter},
                {"energy_j", meter.energy.value},
                {"nodes", meter.nodes},
                {"origin", name_of(meter.origin)}};
  });
  if (const auto run = efficiency::efficiency_of(profile))
    answer["efficiency"] = efficiency_json(*run, efficiency::counter_rates_of(profile),
                                           efficiency::busiest_pair_of(profile));
  if (summary.balancing) answer["balancing"] = balancing_json(*summary.balancing);
  answer["placement"] = array_of(profile.rank_records, [](const RankRecord& record) {
    return Json{{"rank", record.rank.value}, {"node", record.node}, {"pus", record.pus.list()}};
  });
  return answer.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace huddle::cli
