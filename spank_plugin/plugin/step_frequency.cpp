#include "spank_plugin/plugin/step_frequency.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/frequency_request.hpp"
#include "spank_plugin/frequency/planned_requests.hpp"
#include "spank_plugin/launch/job_environment.hpp"

namespace huddle {

// NOLINTBEGIN(concurrency-mt-unsafe): srun reads its options in one thread

void set_step_frequency(const Plan& plan) {
  const char* allowed = std::getenv(kFrequencyVariable);
  if (allowed == nullptr || !plan.frequency) return;
  const auto requests = parse_frequency_requests(allowed);
  ClockLimits widest = requests[0].limits;  // of a step that this one is started from, perhaps
  for (const FrequencyRequest& request : requests) {
    widest.least_khz = std::min(widest.least_khz, request.limits.least_khz);
    widest.most_khz = std::max(widest.most_khz, request.limits.most_khz);
  }
  const std::vector<Hertz> by_rank(plan.ranks, *plan.frequency);
  const std::string text = planned_requests(plan.placement, by_rank, widest, kMostFrequencyBytes);
  if (::setenv(kFrequencyVariable, text.c_str(), 1) != 0)
    throw SystemError("set", kFrequencyVariable, errno);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace huddle
