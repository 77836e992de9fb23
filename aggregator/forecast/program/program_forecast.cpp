#include "aggregator/forecast/program/program_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/forecast/laws/measured_region.hpp"
#include "aggregator/forecast/program/detail/target_forecast.hpp"
#include "aggregator/forecast/program_runs.hpp"

namespace huddle {

struct ProgramForecast::Learnt {
  std::vector<Configuration> measured;
  std::vector<std::size_t> rows;
  std::vector<std::string> remarks;
  MeasuredRegion region;
  std::optional<TargetForecast> time;
  std::optional<TargetForecast> energy;
};

namespace {

// `counted`: whether the configurations say how many packages were used.
KnownNodes known_nodes(const std::optional<MachineLayout>& machine, bool counted) {
  KnownNodes known;
  if (!machine) return known;
  const auto packages = [machine = *machine, counted](const Factors& factors) {
    const Configuration where = configuration_of(factors);
    return where.nodes * (counted ? where.packages : machine.packages_for(where));
  };
  known.packages = packages;
  known.has_cores = [machine = *machine, counted](const Factors& factors) {
    return machine.has_cores_for(configuration_of(factors), counted);
  };
  if (machine->idle)
    known.idle_w = [idle = *machine->idle, packages](const Factors& factors) {
      return factors[kNodes] * idle.node + packages(factors) * idle.package;
    };
  return known;
}

}  // namespace

ProgramForecast ProgramForecast::learn(const MeasurementTable& rows, const std::string& region,
                                       std::uint64_t seed, std::uint32_t threads) {
  return learn(runs_of(rows, region), seed, threads, {});
}

ProgramForecast ProgramForecast::learn(const MeasurementTable& rows,
                                       const OutermostRegions& regions, std::uint64_t seed,
                                       std::uint32_t threads,
                                       const std::optional<MachineLayout>& machine) {
  return learn(runs_of(rows, regions), seed, threads,
               known_nodes(machine, rows.find(ColumnRole::packages) != nullptr));
}

ProgramForecast ProgramForecast::learn(ProgramRuns runs, std::uint64_t seed, std::uint32_t threads,
                                       const KnownNodes& nodes) {
  const ForecastSettings settings{seed, threads};
  auto learnt = std::make_shared<Learnt>();
  learnt->region = MeasuredRegion(runs.configurations);
  if (!runs.time_s.empty())
    learnt->time.emplace(ForecastTarget::time, runs.where, runs.time_s, std::vector<double>(),
                         settings, nodes);
  if (!runs.energy_j.empty())
    learnt->energy.emplace(ForecastTarget::energy, runs.where, runs.energy_j, runs.time_s, settings,
                           nodes);
  learnt->measured = std::move(runs.configurations);
  learnt->rows = std::move(runs.rows);
  learnt->remarks = std::move(runs.remarks);
  if (learnt->energy && learnt->energy->draws_less_than_idle())
    learnt->remarks.emplace_back(
        "runs draw less than the machine's idle nodes and packages, or hardly more: its idle power "
        "is not used (does the meter see whole nodes?)");
  return ProgramForecast(std::move(learnt));
}

ForecastAt ProgramForecast::at(const Configuration& where) const {
  const MeasuredRegion::Place place = learnt_->region.place_of(where);
  ForecastAt forecast;
  forecast.where = where;
  forecast.beyond = place.names();
  const auto known = std::ranges::find(learnt_->measured, where);
  if (known != learnt_->measured.end())
    forecast.measured_rows =
        learnt_->rows[static_cast<std::size_t>(known - learnt_->measured.begin())];
  if (learnt_->time) {
    TargetForecast::Answer answer = learnt_->time->at(where, place.factors, place.gap);
    forecast.time_s = answer.value;
    forecast.time_model = std::move(answer.model);
    forecast.time_not_predicted = std::move(answer.why_not);
  }
  if (learnt_->energy) {
    TargetForecast::Answer answer = learnt_->energy->at(where, place.factors, place.gap);
    forecast.energy_j = answer.value;
    forecast.energy_model = std::move(answer.model);
    forecast.energy_not_predicted = std::move(answer.why_not);
  }
  return forecast;
}

const std::vector<Configuration>& ProgramForecast::measured() const {
  return learnt_->measured;
}

const std::vector<std::string>& ProgramForecast::remarks() const {
  return learnt_->remarks;
}

}  // namespace huddle
