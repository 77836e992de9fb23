#include "aggregator/recommend/frequency_runs.hpp"

#include <fmt/format.h>

#include "aggregator/predict/computation/effective_frequency.hpp"
#include "aggregator/predict/computation/frequency_scaling.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency_text.hpp"

namespace huddle {
RunsByFrequency all_as_nominal(const std::vector<Profile>& profiles) {
  RunsByFrequency runs;
  for (const Profile& profile : profiles) runs.nominal.push_back(&profile);
  return runs;
}

RunsByFrequency sort_by_frequency(const std::vector<Profile>& profiles,
                                  const Frequencies& frequencies, const NodeTopology& node) {
  RunsByFrequency runs;
  std::vector<FrequencySample> samples;
  for (const Profile& profile : profiles) {
    const Hertz frequency = settable_frequency_of(profile, frequencies);
    if (frequency == frequencies.nominal)
      runs.nominal.push_back(&profile);
    else if (runs.nominal.empty())
      throw UsageError(
          fmt::format("the profile of {} was measured at {}, by its cycles: give a profile at the "
                      "machine's nominal {} first",
                      shortened(profile.label), text_of(frequency), text_of(frequencies.nominal)));
    samples.push_back({measured_reference(profile, node).pattern, frequencies.nominal / frequency,
                       profile.mean_computation_time()});
  }
  runs.core_time = core_time_by_frequencies(samples);
  return runs;
}

}  // namespace huddle
