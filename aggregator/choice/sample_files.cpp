#include "aggregator/choice/sample_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "aggregator/pattern/rank_cores.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

/// How many runs a plan is made from: newer ones say more about the next run than older ones.
constexpr std::size_t kMostSamples = 4;
/// How many files are read for them: a store may hold thousands of another program's, or broken.
constexpr std::size_t kMostFiles = 64;

// Throws Error unless a plan for that many ranks can be made from it. `whose`: names the run.
Profile usable_profile(const fs::path& file, const JobQuestion& question, const NodeTopology& node,
                       std::string_view whose) {
  const std::uint32_t ranks = question.key.ranks;
  Profile profile = load_profile(file);
  if (!profile.complete)
    throw Error(fmt::format("{} was cut short: {}", whose, shortened(profile.cut_short_reason)));
  if (profile.ranks != ranks)
    throw Error(fmt::format("{} is of {} ranks, not of {}", file.string(), profile.ranks, ranks));
  if (profile.run_time() <= Seconds{0})
    throw Error(fmt::format("{} has no run time in it", file.string()));
  if (const std::string why = why_other_cores(profile, node, question.cores_per_rank); !why.empty())
    throw Error(fmt::format("{} {}", whose, why));
  return profile;
}

}  // namespace

std::uint32_t nodes_of(const Profile& profile) {
  return static_cast<std::uint32_t>(profile.nodes().size());
}

Samples stored_samples(const std::vector<fs::path>& files, const JobQuestion& question,
                       const NodeTopology& node) {
  Samples samples;
  std::size_t read = 0;
  for (const fs::path& file : files) {
    if (samples.profiles.size() == kMostSamples || read++ == kMostFiles) break;
    try {
      Profile profile = usable_profile(file, question, node, "the last run");
      if (!samples.profiles.empty() && profile.executable != samples.profiles.front().executable)
        continue;
      samples.profiles.push_back(std::move(profile));
      samples.files.push_back(file.string());
    } catch (const Error& error) {
      if (samples.passed_over.empty()) samples.passed_over = error.what();
    }
  }
  return samples;
}

void put_submitted_first(Samples& samples, const JobQuestion& question) {
  if (samples.profiles.empty()) return;
  std::size_t best = 0;
  for (std::size_t i = 1; i < samples.profiles.size(); ++i) {
    const std::uint32_t here = nodes_of(samples.profiles[i]);
    const std::uint32_t there = nodes_of(samples.profiles[best]);
    const bool as_asked = question.nodes && here == *question.nodes && there != *question.nodes;
    const bool wider = !(question.nodes && there == *question.nodes) && here > there;
    if (as_asked || wider) best = i;
  }
  const auto move = static_cast<std::ptrdiff_t>(best);
  std::rotate(samples.profiles.begin(), samples.profiles.begin() + move,
              samples.profiles.begin() + move + 1);
  std::rotate(samples.files.begin(), samples.files.begin() + move,
              samples.files.begin() + move + 1);
}

Samples given_samples(const JobQuestion& question, const NodeTopology& node) {
  Samples samples;
  for (const fs::path& file : question.profiles) {
    samples.profiles.push_back(usable_profile(file, question, node, "the run of " + file.string()));
    samples.files.push_back(fs::absolute(file).string());
  }
  return samples;
}

}  // namespace huddle
