#include "aggregator/forecast/program/program_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/forecast/laws/measured_region.hpp"
#include "aggregator/forecast/program/detail/target_forecast.hpp"
#include "aggregator/forecast/program_runs.hpp"

namespace huddle::forecast {

struct ProgramForecast::Learnt {
  std::vector<Configuration> measured;
  std::vector<std::size_t> rows;
  std::vector<std::string> remarks;
  MeasuredRegion region;
  std::optional<TargetForecast> time;
  std::optional<TargetForecast> energy;
};

ProgramForecast ProgramForecast::learn(const MeasurementTable& rows) {
  ProgramRuns runs = runs_of(rows);
  auto learnt = std::make_shared<Learnt>();
  learnt->region = MeasuredRegion(runs.configurations);
  if (!runs.time_s.empty())
    learnt->time.emplace(ForecastTarget::time, runs.where, runs.time_s, std::vector<double>());
  if (!runs.energy_j.empty())
    learnt->energy.emplace(ForecastTarget::energy, runs.where, runs.energy_j, runs.time_s);
  learnt->measured = std::move(runs.configurations);
  learnt->rows = std::move(runs.rows);
  learnt->remarks = std::move(runs.remarks);
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

}  // namespace huddle::forecast
