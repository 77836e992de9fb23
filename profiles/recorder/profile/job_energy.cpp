#include "profiles/recorder/profile/job_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

// The daemon's answers are at most as fine as one a second: one that was given to somebody else
// before may be meant for a time that differs by so much from what is asked for, and by no more.
constexpr double kMostAmiss = 0.02;

}  // namespace

JobEnergy::JobEnergy(std::string step, Ask ask, Sum begin, Seconds now)
    : step_(std::move(step)), ask_(std::move(ask)), begin_(std::move(begin)), begun_(now) {}

JobEnergy::Ask JobEnergy::of(const Job& job) {
  return [number = static_cast<std::uint32_t>(job.id)] {
    constexpr std::chrono::milliseconds kPatience(80);  // also of a rank that is about to end
    return energyd::ask_energyd({energyd::EnergyRequest::About::kJob, number},
                                energyd::kEnergySocket, kPatience);
  };
}

JobEnergy::Sum JobEnergy::sum_of(const energyd::EnergyAnswer& answer, const std::string& step) {
  Sum sum;
  sum.as_of = answer.as_of;
  const bool has_step = std::any_of(
      answer.steps.begin(), answer.steps.end(),
      [&](const energyd::AnsweredStep& one) { return one.running && one.id.step == step; });
  for (const energyd::AnsweredStep& one : answer.steps)
    if (!has_step || one.id.step == step)
      for (const auto& [sensor, share] : one.shares) sum.by_sensor[sensor] += share;
  return sum;
}

std::optional<JobEnergy> JobEnergy::begin(const Job& job, const Ask& ask) {
  if (job.id == 0) return std::nullopt;
  try {
    const energyd::EnergyAnswer answer = ask();
    if (!answer.refusal.empty()) return std::nullopt;
    const std::string step = std::to_string(job.step);
    return JobEnergy(step, ask, sum_of(answer, step), since_boot());
  } catch (const Error&) {  // there is none
    return std::nullopt;
  }
}

JobEnergy::Result JobEnergy::result() const {
  try {
    const energyd::EnergyAnswer answer = ask_();
    if (!answer.refusal.empty()) return {{}, answer.refusal};
    const Seconds took = since_boot() - begun_;
    const Seconds told = answer.as_of - begin_.as_of;
    // Nobody knows when a step began that began after the first answer.
    const Seconds unseen = begin_.by_sensor.empty() ? begun_ - begin_.as_of : Seconds{};
    if (std::max(std::abs((told - took).value), unseen.value) > kMostAmiss * took.value)
      return {{},
              fmt::format("huddle-energyd answers at most once a second, and its figures are of "
                          "{:.1f} s of the run's {:.1f} s",
                          (told - unseen).value, took.value)};
    Result result;
    const Sum end = sum_of(answer, step_);
    for (const auto& [sensor, share] : end.by_sensor) {
      const auto found = begin_.by_sensor.find(sensor);
      const power::EnergyShare before =
          found == begin_.by_sensor.end() ? power::EnergyShare{} : found->second;
      if (share.lost > before.lost) return {{}, fmt::format("huddle-energyd lost {}", sensor)};
      if (share.energy() < before.energy()) return {{}, "huddle-energyd has forgotten the job"};
      const bool attributed = share.attributed > before.attributed;
      result.readings.push_back({sensor, share.energy() - before.energy(),
                                 attributed ? EnergyOrigin::kAttributed : EnergyOrigin::kMeasured});
    }
    if (result.readings.empty()) result.why_not = "huddle-energyd has no sensor that it can read";
    return result;
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

}  // namespace huddle::recorder
