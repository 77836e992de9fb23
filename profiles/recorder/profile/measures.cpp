#include "profiles/recorder/profile/measures.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "profiles/hardware/counters/event_names.hpp"
#include "profiles/recorder/process/run_request.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

// A wrong list is the user's mistake, and no reason to measure nothing.
Measures::Options Measures::options_from(const Environment& environment) {
  Options options;
  options.reads_node_energy = Launch::from(environment).local_rank.value_or(0) == 0;
  options.job = Job::from(environment);
  const std::string_view list = text_of(environment, kEventsVariable);
  if (list == "none") return options;
  try {
    options.events = list.empty() ? counters::default_events()
                                  : counters::parse_event_list(list, kEventsVariable);
  } catch (const Error& failure) {
    options.trouble = failure.what();
    options.events = counters::default_events();
  }
  return options;
}

Measures::Measures(const Options& options)
    : counters_(counters::CounterSet::open(options.events)), trouble_(options.trouble) {
  if (!counters_.events().empty()) {
    phase_counters_.emplace(counters_);
    counters_.read(begin_);
  }
  if (!options.reads_node_energy) return;
  job_energy_ = JobEnergy::begin(options.job, JobEnergy::of(options.job));
  if (!job_energy_) meters_.emplace(power::EnergyMeters::find());
}

void Measures::poll() {
  const std::lock_guard lock(mutex_);
  if (meters_) meters_->poll();
}

std::vector<double> Measures::counts(const counters::Tally& tally) const {
  std::vector<double> values;
  for (const std::optional<double>& count : counters_.counts(tally))
    values.push_back(count.value_or(std::numeric_limits<double>::quiet_NaN()));
  return values;
}

void Measures::complete(RankRecord& record) {
  if (!counters_.events().empty()) {
    counters::Reading now;
    counters_.read(now);
    record.events = counters_.events();
    record.event_totals = counts(counters::difference(begin_, now));
  }
  const std::lock_guard lock(mutex_);
  if (job_energy_) {
    JobEnergy::Result result = job_energy_->result();
    record.node_energy = std::move(result.readings);
    no_job_energy_ = std::move(result.why_not);
  }
  if (!meters_) return;
  meters_->poll();
  record.node_energy = meters_->readings();
}

std::vector<AbsentEvent> Measures::absent() const {
  std::vector<AbsentEvent> list = counters_.absent();
  if (!trouble_.empty()) list.push_back({kEventsVariable, trouble_, 1});
  const std::lock_guard lock(mutex_);
  if (!no_job_energy_.empty()) list.push_back({"energy", no_job_energy_, 1});
  if (meters_)
    for (AbsentEvent& meter : meters_->absent()) list.push_back(std::move(meter));
  return list;
}

}  // namespace huddle::recorder
