#include "profiles/hardware/attribution/energy_ledger.hpp"

#include <algorithm>
#include <utility>

namespace huddle::power {
namespace {

// Idle power is the mean over this time: a shorter one may fall between two wakes of the system.
constexpr Seconds kQuiet{5};

std::size_t common_pus(const PuSet& one, const PuSet& other) {
  std::size_t common = 0;
  for (const std::uint32_t pu : one.members())
    if (other.contains(pu)) ++common;
  return common;
}

// Returns the number of a sensor's PUs that are a job's: 1 or more; nothing if none is. Unknown
// ones count as all.
std::optional<std::size_t> pus_on(const PuSet& of_job, const PuSet& of_sensor) {
  const std::size_t common = of_job.empty() ? of_sensor.size() : common_pus(of_job, of_sensor);
  if (common == 0 && !of_sensor.empty()) return std::nullopt;
  return std::max(common, std::size_t{1});
}

SensorReading since(const SensorReading& before, const SensorReading& now) {
  const auto more = [](Seconds from, Seconds to) { return std::max(to - from, Seconds{0}); };
  return {std::max(now.energy - before.energy, Joules{0}), more(before.known, now.known),
          more(before.lost, now.lost)};
}

bool is_script(const StepId& step) {
  return step.step == "batch" || step.step == "interactive" || step.step == "extern";
}

// A job on the PUs of one sensor.
struct JobOnSensor {
  std::vector<std::pair<const StepId*, StepAccount*>> steps;
  std::size_t pus = 0;
  Seconds worked;
};

Seconds work_of(const StepWork& work, const StepId& step, std::size_t sensor) {
  const auto found = work.find(step);
  if (found == work.end() || sensor >= found->second.size()) return {0};
  return found->second[sensor];
}

// The jobs that have PUs of a sensor.
std::map<std::uint32_t, JobOnSensor> jobs_on(std::map<StepId, StepAccount>& steps, const PuSet& pus,
                                             const StepWork& work, std::size_t sensor) {
  std::map<std::uint32_t, JobOnSensor> jobs;
  for (auto& [id, account] : steps) {
    const auto own = pus_on(account.place.pus, pus);
    if (!own) continue;
    JobOnSensor& job = jobs[id.job];
    job.steps.emplace_back(&id, &account);
    job.pus = std::max(job.pus, *own);
    job.worked += work_of(work, id, sensor);
  }
  return jobs;
}

// The part of each step of a job; the first of several without work has all.
std::vector<double> parts_of(const JobOnSensor& job, const StepWork& work, std::size_t sensor) {
  std::vector<double> parts(job.steps.size(), 0);
  const bool only_scripts = std::all_of(job.steps.begin(), job.steps.end(),
                                        [](const auto& step) { return is_script(*step.first); });
  double sum = 0;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_script(*job.steps[i].first) && !only_scripts) continue;
    if (!first) first = i;
    parts[i] = work_of(work, *job.steps[i].first, sensor).value;
    sum += parts[i];
  }
  for (double& part : parts) part = sum > 0 ? part / sum : 0;
  if (!(sum > 0) && first) parts[*first] = 1;
  return parts;
}

}  // namespace

EnergyShare& EnergyShare::operator+=(const EnergyShare& other) {
  measured += other.measured;
  attributed += other.attributed;
  idle += other.idle;
  idle_known = idle_known && other.idle_known;
  known += other.known;
  lost += other.lost;
  return *this;
}

EnergyShare StepAccount::total() const {
  EnergyShare total;
  for (const EnergyShare& share : shares) total += share;
  total.known = total.lost = {0};
  if (shares.empty()) return total;
  total.known = std::min_element(shares.begin(), shares.end(), [](const auto& a, const auto& b) {
                  return a.known < b.known;
                })->known;
  for (const EnergyShare& share : shares) total.lost = std::max(total.lost, share.lost);
  return total;
}

EnergyLedger::EnergyLedger(std::vector<LedgerSensor> sensors)
    : sensors_(std::move(sensors)), ledgers_(sensors_.size()), quiet_(sensors_.size()) {}

void EnergyLedger::begin(const StepId& step, StepPlace place, std::vector<Seconds> worked,
                         Seconds missed) {
  const auto [at, is_new] = steps_.try_emplace(
      step, StepAccount{std::move(place), std::vector<EnergyShare>(sensors_.size())});
  if (is_new && !worked.empty()) last_work_[step] = std::move(worked);
  for (std::size_t i = 0; is_new && i < sensors_.size(); ++i)
    if (pus_on(at->second.place.pus, sensors_[i].pus)) at->second.shares[i].lost = missed;
  std::fill(quiet_.begin(), quiet_.end(), SensorReading{});
}

std::optional<StepAccount> EnergyLedger::end(const StepId& step) {
  const auto found = steps_.find(step);
  if (found == steps_.end()) return std::nullopt;
  StepAccount account = std::move(found->second);
  steps_.erase(found);
  last_work_.erase(step);
  return account;
}

bool EnergyLedger::needs_work() const {
  std::size_t counted = 0;
  for (auto at = steps_.begin(); at != steps_.end(); ++at) {
    const bool new_job = at == steps_.begin() || std::prev(at)->first.job != at->first.job;
    if (new_job && at != steps_.begin()) return true;
    if (!is_script(at->first)) ++counted;
  }
  return counted > 1;
}

// A step whose processes nobody could count before has its work counted from now on.
StepWork EnergyLedger::work_since(const StepWork& work) const {
  StepWork used;
  for (const auto& [step, now] : work) {
    const auto before = last_work_.find(step);
    if (before == last_work_.end() || before->second.size() != now.size()) continue;
    std::vector<Seconds>& steps = used[step];
    for (std::size_t i = 0; i < now.size(); ++i)
      steps.push_back(std::max(now[i] - before->second[i], Seconds{0}));
  }
  return used;
}

void EnergyLedger::learn_idle(std::size_t sensor, const SensorReading& used) {
  SensorReading& quiet = quiet_[sensor];
  if (used.lost > Seconds{0}) quiet = {};
  quiet.energy += used.energy;
  quiet.known += used.known;
  if (quiet.known < kQuiet) return;
  const Watts watts{quiet.energy.value / quiet.known.value};
  std::optional<Watts>& idle = ledgers_[sensor].idle_power;
  idle = idle ? std::min(*idle, watts) : watts;
  quiet = {};
}

void EnergyLedger::give(std::size_t sensor, const SensorReading& used, const StepWork& work) {
  const PuSet& pus = sensors_[sensor].pus;
  const std::map<std::uint32_t, JobOnSensor> jobs = jobs_on(steps_, pus, work, sensor);
  SensorLedger& ledger = ledgers_[sensor];
  ledger.node += used.energy;
  if (jobs.empty()) {
    ledger.unattributed += used.energy;
    return learn_idle(sensor, used);
  }
  const bool alone = jobs.size() == 1;
  Seconds worked;
  std::size_t taken = 0;
  for (const auto& [number, job] : jobs) {
    worked += job.worked;
    taken += job.pus;
  }
  const Joules idle =
      ledger.idle_power ? std::min(used.energy, Joules{ledger.idle_power->value * used.known.value})
                        : Joules{0};
  Joules left = used.energy;
  for (const auto& [number, job] : jobs) {
    const double by_pus = static_cast<double>(job.pus) /
                          static_cast<double>(std::max({pus.size(), taken, std::size_t{1}}));
    const double by_work = worked > Seconds{0} ? job.worked / worked : 0;
    const Joules idle_part = alone ? idle : idle * by_pus;
    const Joules part = alone ? used.energy : idle_part + (used.energy - idle) * by_work;
    left = left - part;
    const std::vector<double> parts = parts_of(job, work, sensor);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EnergyShare share;
      (alone ? share.measured : share.attributed) = part * parts[i];
      share.idle = idle_part * parts[i];
      share.idle_known = ledger.idle_power.has_value();
      share.known = used.known;
      share.lost = used.lost;
      job.steps[i].second->shares[sensor] += share;
    }
  }
  if (!alone) ledger.unattributed += std::max(left, Joules{0});
}

void EnergyLedger::advance(std::span<const SensorReading> readings, const StepWork& work) {
  const StepWork used_work = work_since(work);
  for (std::size_t i = 0; i < sensors_.size() && i < readings.size(); ++i)
    if (i < last_.size()) give(i, since(last_[i], readings[i]), used_work);
  last_.assign(readings.begin(), readings.end());
  last_work_ = work;
}

void EnergyLedger::skip(std::span<const SensorReading> readings) {
  for (std::size_t i = 0; i < last_.size() && i < readings.size(); ++i) {
    const SensorReading used = since(last_[i], readings[i]);
    ledgers_[i].node += used.energy;
    ledgers_[i].unattributed += used.energy;
    for (const auto& [number, job] : jobs_on(steps_, sensors_[i].pus, {}, i))
      for (const auto& [id, account] : job.steps) account->shares[i].lost += used.known + used.lost;
  }
  last_.assign(readings.begin(), readings.end());
  last_work_.clear();
}

EnergyLedger::Kept EnergyLedger::kept() const {
  Kept kept{{}, last_, ledgers_, steps_, last_work_};
  for (const LedgerSensor& sensor : sensors_) kept.sensors.push_back(sensor.name);
  return kept;
}

bool EnergyLedger::go_on(const Kept& kept) {
  const bool same =
      kept.sensors.size() == sensors_.size() && kept.ledgers.size() == sensors_.size() &&
      (kept.readings.empty() || kept.readings.size() == sensors_.size()) &&
      std::equal(sensors_.begin(), sensors_.end(), kept.sensors.begin(),
                 [](const auto& mine, const auto& name) { return mine.name == name; });
  if (!same) return false;
  for (const auto& [id, account] : kept.steps)
    if (account.shares.size() != sensors_.size()) return false;
  ledgers_ = kept.ledgers;
  last_ = kept.readings;
  steps_ = kept.steps;
  last_work_ = kept.work;
  return true;
}

}  // namespace huddle::power
