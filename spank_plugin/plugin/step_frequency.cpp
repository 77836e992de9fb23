#include "spank_plugin/plugin/step_frequency.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/frequency_request.hpp"
#include "spank_plugin/frequency/planned_requests.hpp"
#include "profiles/vocabulary/job_environment.hpp"
#include "spank_plugin/plugin/say.hpp"

namespace huddle {

// NOLINTBEGIN(concurrency-mt-unsafe): srun reads its options in one thread

namespace {

void refine(const char* allowed, const Plan& plan) {
  const auto requests = parse_frequency_requests(allowed);
  ClockLimits widest = requests[0].limits;  // of a step that this one is started from, perhaps
  for (const FrequencyRequest& request : requests) {
    widest.least_khz = std::min(widest.least_khz, request.limits.least_khz);
    widest.most_khz = std::max(widest.most_khz, request.limits.most_khz);
  }
  const std::string text =
      planned_requests(plan.placement, plan.frequencies_by_rank(), widest, kMostFrequencyBytes);
  if (::setenv(kFrequencyVariable, text.c_str(), 1) != 0)
    throw SystemError("set", kFrequencyVariable, errno);
}

// Calls refine() with the plan that `load` gives, if there is anything to refine.
template <class Load>
void refine_if_set(Load load) {
  const char* allowed = std::getenv(kFrequencyVariable);
  if (allowed == nullptr) return;
  try {
    const Plan plan = load();
    if (plan.frequency) refine(allowed, plan);
  } catch (const Error& error) {
    say("all ranks run at the job's frequencies, not at those that the plan has for each: {}",
        error.what());
  }
}

}  // namespace

void set_step_frequency(const Plan& plan) {
  refine_if_set([&] { return plan; });
}

void set_step_frequency(const std::string& plan_file) {
  refine_if_set([&] { return load_plan(plan_file); });
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace huddle
