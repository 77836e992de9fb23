#include "aggregator/planning/detail/sample_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "aggregator/predict/pattern/rank_shape.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

/// How many runs a plan is made from: newer ones say more about the next run than older ones.
constexpr std::size_t kMostSamples = 4;
/// How many files are read for them: a store may hold thousands of another program's, or broken.
constexpr std::size_t kMostFiles = 64;

std::string named_size(const std::optional<double>& size) {
  return size ? "size " + problem_size_text(*size) : "unknown size";
}

// Whether `profile` is a sample of what the first one is of.
bool same_computation(const Profile& profile, const Profile& first) {
  return profile.executable == first.executable && profile.problem_size == first.problem_size;
}

// Throws Error unless a plan for that many ranks can be made from it. `whose`: names the run.
Profile usable_profile(const fs::path& file, const PlanRequest& request, const NodeTopology& node,
                       std::string_view whose) {
  const std::uint32_t ranks = request.ranks;
  Profile profile = load_profile(file);
  if (!profile.complete)
    throw Error(fmt::format("{} was cut short: {}", whose, shortened(profile.cut_short_reason)));
  if (profile.ranks != ranks)
    throw Error(fmt::format("{} is of {} ranks, not of {}", file.string(), profile.ranks, ranks));
  if (profile.run_time() <= Seconds{0})
    throw Error(fmt::format("{} has no run time in it", file.string()));
  if (const std::string why = why_other_cores(profile, node, request.cores_per_rank); !why.empty())
    throw Error(fmt::format("{} {}", whose, why));
  return profile;
}

}  // namespace

std::uint32_t nodes_of(const Profile& profile) {
  return static_cast<std::uint32_t>(profile.nodes().size());
}

Samples stored_samples(const std::vector<fs::path>& files, const PlanRequest& request,
                       const NodeTopology& node) {
  Samples samples;
  std::size_t read = 0;
  for (const fs::path& file : files) {
    if (samples.profiles.size() == kMostSamples || read++ == kMostFiles) break;
    try {
      Profile profile = usable_profile(file, request, node, "the last run");
      if (request.size && profile.problem_size != request.size)
        throw Error(fmt::format("the last run was of {}, not of {}",
                                named_size(profile.problem_size), named_size(request.size)));
      if (!samples.profiles.empty() && !same_computation(profile, samples.profiles.front()))
        continue;
      samples.profiles.push_back(std::move(profile));
      samples.files.push_back(file.string());
    } catch (const Error& error) {
      if (samples.passed_over.empty()) samples.passed_over = error.what();
    }
  }
  return samples;
}

void put_submitted_first(Samples& samples, const PlanRequest& request) {
  if (samples.profiles.empty()) return;
  std::size_t best = 0;
  for (std::size_t i = 1; i < samples.profiles.size(); ++i) {
    const std::uint32_t here = nodes_of(samples.profiles[i]);
    const std::uint32_t there = nodes_of(samples.profiles[best]);
    const bool as_asked = request.nodes && here == *request.nodes && there != *request.nodes;
    const bool wider = !(request.nodes && there == *request.nodes) && here > there;
    if (as_asked || wider) best = i;
  }
  const auto move = static_cast<std::ptrdiff_t>(best);
  std::rotate(samples.profiles.begin(), samples.profiles.begin() + move,
              samples.profiles.begin() + move + 1);
  std::rotate(samples.files.begin(), samples.files.begin() + move,
              samples.files.begin() + move + 1);
}

Samples given_samples(const PlanRequest& request, const NodeTopology& node) {
  Samples samples;
  for (const fs::path& file : request.profiles) {
    Profile profile = usable_profile(file, request, node, "the run of " + file.string());
    if (request.size && profile.problem_size && profile.problem_size != request.size)
      throw Error(fmt::format("the run of {} is of {}, not of {}", file.string(),
                              named_size(profile.problem_size), named_size(request.size)));
    samples.profiles.push_back(std::move(profile));
    samples.files.push_back(fs::absolute(file).string());
  }
  return samples;
}

}  // namespace huddle
