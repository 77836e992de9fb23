#include "aggregator/forecast/sizes/profiles_for_size.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

void check_one_size(const std::vector<Profile>& profiles, const std::vector<std::string>& files) {
  std::optional<std::size_t> known;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (!profiles[i].problem_size) continue;
    if (known && profiles[i].problem_size != profiles[*known].problem_size)
      throw UsageError(
          fmt::format("{} is of size {} and {} of size {}: ask for one of them, or for another",
                      files[*known], problem_size_text(*profiles[*known].problem_size), files[i],
                      problem_size_text(*profiles[i].problem_size)));
    known = i;
  }
}

double size_of(const Profile& profile, const std::string& file,
               const std::vector<SizeArgument>& places) {
  try {
    return problem_size_of(profile, places);
  } catch (const Error& error) {
    throw Error(fmt::format("{} {}", file, error.what()));
  }
}

std::vector<Profile> of_size(const std::vector<SizedRun>& runs, double size) {
  std::vector<Profile> profiles;
  for (const SizedRun& run : runs)
    if (run.size == size) profiles.push_back(run.profile);
  return profiles;
}

nlohmann::ordered_json number(const std::optional<Seconds>& time) {
  return time ? nlohmann::ordered_json(time->value) : nlohmann::ordered_json();
}

}  // namespace

ProfilesForSize profiles_for_size(std::vector<Profile> profiles,
                                  const std::vector<std::string>& files, std::optional<double> size,
                                  const std::vector<SizeArgument>& places) {
  ProfilesForSize found;
  if (!size) {
    check_one_size(profiles, files);
    found.profiles = std::move(profiles);
    return found;
  }
  std::vector<SizedRun> runs;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const double of_run = size_of(profiles[i], files[i], places);
    runs.push_back({std::move(profiles[i]), of_run, files[i]});
  }
  check_one_program(runs);
  found.profiles = of_size(runs, *size);
  if (found.profiles.empty()) {
    found.predicted = predict_profiles(runs, *size);
    found.profiles = std::move(found.predicted->profiles);
    found.notes = found.predicted->notes;
  } else if (found.profiles.size() < runs.size()) {
    found.notes.push_back(
        fmt::format("size {} was run: the {} profiles of other sizes are not used",
                    problem_size_text(*size), runs.size() - found.profiles.size()));
  }
  return found;
}

nlohmann::ordered_json json_of(const PredictedProfiles& predicted) {
  return {{"size", predicted.size},
          {"from_sizes", predicted.from},
          {"run_time_s", predicted.run_time.value},
          {"run_time_low_s", number(predicted.run_time_low)},
          {"run_time_high_s", number(predicted.run_time_high)},
          {"beyond", predicted.beyond},
          {"notes", predicted.notes}};
}

void widen_intervals(Recommendation& recommendation, const PredictedProfiles& predicted) {
  const bool known = predicted.run_time_low && predicted.run_time_high;
  const double below = known ? 1 - *predicted.run_time_low / predicted.run_time : 0;
  const double above = known ? *predicted.run_time_high / predicted.run_time - 1 : 0;
  const auto widen = [&](PatternForecast& forecast) {
    if (forecast.coverage == Coverage::kMeasured || forecast.coverage == Coverage::kInterpolated)
      forecast.rests_on += " of other sizes";
    if (!known) forecast.time_low = forecast.time_high = std::nullopt;
    if (!forecast.time_low || !forecast.time_high) return;
    const double time = forecast.time.value;
    const double low = std::hypot(time - forecast.time_low->value, time * below);
    const double high = std::hypot(forecast.time_high->value - time, time * above);
    forecast.time_low = Seconds{std::max(time - low, 0.0)};
    forecast.time_high = Seconds{time + high};
  };
  widen(recommendation.reference_forecast);
  for (Candidate& candidate : recommendation.candidates) widen(candidate.forecast);
}

}  // namespace huddle
