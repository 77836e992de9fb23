#include "aggregator/predict/computation/detail/demand_residuals.hpp"

namespace huddle::predict {

DemandResiduals::DemandResiduals(const ContentionModel& model, const Curve& curve)
    : model_(model), curve_(curve) {
  for (const CurvePoint& point : curve) {
    sharing_.push_back(point.sharing);
    clock_.push_back(model.clock.slowdown(point.sharing));
    errors_.push_back(std::hypot(point.error, model.tolerances.time));
    total_weight_ += 1 / (errors_.back() * errors_.back());
    if (point.log_misses) ++counted_;
  }
}

void DemandResiduals::times(const DemandParameters& demand, std::vector<double>& times) const {
  times.clear();
  for (std::size_t i = 0; i < curve_.size(); ++i)
    times.push_back(curve_[i].log_time - std::log(slower_time(model_.shape, model_.machine, demand,
                                                              sharing_[i], clock_[i])));
}

double DemandResiduals::best_scale(const std::vector<double>& times) const {
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) sum += times[i] / (errors_[i] * errors_[i]);
  return sum / total_weight_;
}

void DemandResiduals::against(const DemandParameters& demand, double log_scale,
                              const std::vector<double>& times,
                              std::vector<double>& residuals) const {
  for (std::size_t i = 0; i < times.size(); ++i)
    residuals.push_back((times[i] - log_scale) / errors_[i]);
  double traffic = 0;
  if (!events(demand, log_scale, growth_, traffic)) return;
  for (const double log : growth_) residuals.push_back(log / model_.tolerances.growth);
  residuals.push_back(traffic / model_.tolerances.traffic);
}

// Misses show two things: how they grow with the ranks of a die, which is the program's sensitivity
// to a shared cache; and how much bandwidth it asks for, which is misses x time of a miss.
bool DemandResiduals::events(const DemandParameters& demand, double log_scale,
                             std::vector<double>& growth, double& traffic) const {
  growth.clear();
  if (counted_ == 0 || model_.shape == ContentionShape::kPower) return false;
  double alone = 0;  // log of misses of a rank alone, mean over the points
  for (std::size_t i = 0; i < curve_.size(); ++i) {
    if (!curve_[i].log_misses) continue;
    growth.push_back(*curve_[i].log_misses -
                     std::log(cache_growth(model_.machine, demand, sharing_[i].die)));
    alone += growth.back() / counted_;
  }
  for (double& log : growth) log -= alone;
  const double rate = demand[static_cast<std::size_t>(DemandParameter::kRate)];
  const double asked = log_scale + demand[static_cast<std::size_t>(DemandParameter::kIntensity)] -
                       std::log1p(std::exp(-rate));
  traffic = asked - alone - model_.machine[static_cast<std::size_t>(MachineParameter::kTraffic)];
  return true;
}

}  // namespace huddle::predict
