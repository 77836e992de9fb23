#include "aggregator/forecast/sizes/profiles_for_size.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "aggregator/forecast/sizes/sized_runs.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::forecast {
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

double size_of(const Profile& profile, const std::string& file) {
  try {
    return problem_size_of(profile, {});
  } catch (const Error& error) {
    throw Error(fmt::format("{} {}", file, error.what()));
  }
}

std::string sizes_text(const std::set<double>& sizes) {
  std::string text;
  for (const double size : sizes) text += (text.empty() ? "" : ", ") + problem_size_text(size);
  return text;
}

}  // namespace

ProfilesForSize profiles_for_size(std::vector<Profile> profiles,
                                  const std::vector<std::string>& files,
                                  std::optional<double> size) {
  ProfilesForSize found;
  if (!size) {
    check_one_size(profiles, files);
    found.profiles = std::move(profiles);
    return found;
  }
  std::set<double> sizes;
  const std::size_t all = profiles.size();
  for (std::size_t i = 0; i < all; ++i) {
    const double of_run = size_of(profiles[i], files[i]);
    sizes.insert(of_run);
    if (of_run == *size) found.profiles.push_back(std::move(profiles[i]));
  }
  if (found.profiles.empty())
    throw Error(
        fmt::format("no profile is of size {}: they are of {}; huddle forecast collect and huddle "
                    "forecast --at predict sizes that were not run",
                    problem_size_text(*size), sizes_text(sizes)));
  if (found.profiles.size() < all)
    found.notes.push_back(
        fmt::format("size {} was run: the {} profiles of other sizes are not used",
                    problem_size_text(*size), all - found.profiles.size()));
  return found;
}

}  // namespace huddle::forecast
