#include "aggregator/efficiency/report/efficiency_json.hpp"

#include "aggregator/efficiency/report/efficiency_text.hpp"

namespace huddle::efficiency {
namespace {

using Json = nlohmann::ordered_json;

Json mpi_json(const MpiEfficiency& mpi) {
  return {{"parallel_efficiency", mpi.parallel()},
          {"load_balance", mpi.load_balance},
          {"communication_efficiency", mpi.communication}};
}

Json openmp_json(const std::optional<OpenMpEfficiency>& openmp) {
  if (!openmp) return nullptr;
  return {{"parallel_efficiency", openmp->parallel()},
          {"load_balance", openmp->load_balance},
          {"scheduling_efficiency", openmp->scheduling},
          {"serialisation_efficiency", openmp->serialisation}};
}

// The product of a hybrid program is not known if its OpenMP part is not.
Json factors_json(const Efficiency& efficiency, bool hybrid) {
  const bool is_known = !hybrid || efficiency.openmp;
  return {{"parallel_efficiency", is_known ? Json(efficiency.parallel()) : Json()},
          {"mpi", mpi_json(efficiency.mpi)},
          {"openmp", openmp_json(efficiency.openmp)}};
}

template <class Number>
Json optional_json(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json rank_json(const RankEfficiency& rank) {
  return {{"rank", rank.rank.value},
          {"threads", rank.threads},
          {"outside_mpi_s", rank.outside_mpi.value},
          {"outside_mpi_share", rank.mpi},
          {"openmp", openmp_json(rank.openmp)}};
}

Json node_json(const NodeEfficiency& node, bool hybrid) {
  Json json = {{"node", node.node}, {"ranks", node.ranks}, {"threads", node.threads}};
  json.update(factors_json(node.efficiency, hybrid));
  return json;
}

Json phase_json(const PhaseEfficiency& phase, bool hybrid) {
  Json json = {{"id", phase.group.id},
               {"ranks", phase.ranks},
               {"elapsed_s", phase.elapsed.value},
               {"lost_s", phase.lost.value},
               {"lost_share", phase.lost_share},
               {"slowest_rank", phase.slowest.value},
               {"slowest_over_mean", phase.slowest_ratio}};
  json.update(factors_json(phase.efficiency, hybrid));
  return json;
}

Json pair_json(const std::optional<BusiestPair>& pair) {
  if (!pair) return nullptr;
  return {{"ranks", {pair->low.value, pair->high.value}},
          {"bytes", pair->bytes.value},
          {"bytes_of_all_pairs", pair->all.value},
          {"pairs_as_busy", pair->as_busy}};
}

Json outlook_json(const Scaling& scaling) {
  const ScalingOutlook& outlook = scaling.outlook;
  const bool foreseen =
      outlook.kind == ScalingOutlook::Kind::kForeseen || outlook.kind == ScalingOutlook::Kind::kFar;
  const bool stopped = outlook.kind == ScalingOutlook::Kind::kStopped;
  return {{"kind", name_of(outlook.kind)},
          {"sentence", outlook_text(scaling)},
          {"efficiency_of_largest", outlook.efficiency},
          {"falls_most", name_of(outlook.factor)},
          {"limit_threads", foreseen || stopped ? Json(outlook.limit) : Json()},
          {"most_speedup", foreseen ? Json(outlook.most_speedup) : Json()},
          {"law_off_by", foreseen ? Json(outlook.off) : Json()}};
}

}  // namespace

nlohmann::ordered_json efficiency_json(const RunEfficiency& run, const CounterRates& rates,
                                       const std::optional<BusiestPair>& pair) {
  Json json = {{"elapsed_s", run.elapsed.value}, {"ranks", run.ranks}, {"threads", run.threads}};
  json.update(factors_json(run.whole, run.hybrid));
  json["openmp_unknown"] = run.openmp_unknown;
  json["load_balance_across_nodes"] = run.balance ? Json(run.balance->across) : Json();
  json["load_balance_within_nodes"] = run.balance ? Json(run.balance->within) : Json();
  json["standard_errors"] = {{"parallel_efficiency", run.errors.parallel},
                             {"load_balance", run.errors.load_balance},
                             {"communication_efficiency", run.errors.communication}};
  json["estimated_mpi_share"] = run.estimated_share;
  json["useful_s"] = run.useful ? Json(run.useful->value) : Json();
  json["ipc"] = optional_json(rates.ipc);
  json["memory_bytes_per_s"] = rates.memory ? Json(rates.memory->value) : Json();
  json["busiest_pair"] = pair_json(pair);
  json["by_phase"] = Json::array();
  for (const PhaseEfficiency& phase : run.by_phase)
    json["by_phase"].push_back(phase_json(phase, run.hybrid));
  json["by_node"] = Json::array();
  for (const NodeEfficiency& node : run.by_node)
    json["by_node"].push_back(node_json(node, run.hybrid));
  json["by_rank"] = Json::array();
  for (const RankEfficiency& rank : run.by_rank) json["by_rank"].push_back(rank_json(rank));
  return json;
}

nlohmann::ordered_json scaling_json(const Scaling& scaling) {
  Json runs = Json::array();
  for (const ScalingRow& row : scaling.rows) {
    const ScalingSample& sample = row.sample;
    Json json = {{"profile", sample.name},
                 {"ranks", sample.ranks},
                 {"threads", sample.threads},
                 {"nodes", sample.nodes},
                 {"elapsed_s", sample.elapsed.value},
                 {"speedup", row.speedup},
                 {"global_efficiency", optional_json(row.global)}};
    json.update(factors_json(sample.efficiency, sample.hybrid));
    json["computation_scaling"] = optional_json(row.computation);
    json["instruction_scaling"] = optional_json(row.instructions);
    json["ipc_scaling"] = optional_json(row.ipc);
    json["clock_scaling"] = optional_json(row.clock);
    runs.push_back(std::move(json));
  }
  return {{"scaling", name_of(scaling.kind)},
          {"scaling_is_known", scaling.kind_is_known},
          {"runs", std::move(runs)},
          {"outlook", outlook_json(scaling)}};
}

}  // namespace huddle::efficiency
