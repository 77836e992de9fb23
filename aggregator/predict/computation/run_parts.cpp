#include "aggregator/predict/computation/run_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "aggregator/predict/pattern/reference.hpp"
#include "aggregator/predict/pattern/sharing.hpp"

namespace huddle {
namespace {

RunPart whole(const Profile& run, const Pattern& pattern) {
  RunPart part{&run, pattern, std::vector<std::uint32_t>(run.rank_records.size()), nullptr};
  std::iota(part.ranks.begin(), part.ranks.end(), 0U);
  return part;
}

// The classes that fill nodes exactly; nothing if the run is of one kind.
std::vector<RunPart> classes_with_patterns(const Profile& run, const NodeTopology& node) {
  const std::optional<std::vector<RankClass>> classes = classes_of(measured_locations(run, node));
  std::vector<RunPart> parts;
  if (!classes || classes->size() < 2) return parts;
  for (const RankClass& of_class : *classes)
    if (const std::optional<Pattern> pattern = pattern_with(of_class.sharing))
      parts.push_back({&run, *pattern, of_class.ranks, nullptr});
  return parts;
}

}  // namespace

std::vector<RunPart> parts_of(const std::vector<const Profile*>& profiles,
                              const NodeTopology& node) {
  std::vector<RunPart> parts;
  std::vector<std::vector<RunPart>> mixed;
  const Profile* baseline = nullptr;
  Pattern sparsest;
  for (const Profile* run : profiles) {
    const Pattern pattern = Pattern::parse(measured_reference(*run, node).pattern);
    if (std::vector<RunPart> classes = classes_with_patterns(*run, node); !classes.empty()) {
      mixed.push_back(std::move(classes));
      continue;
    }
    if (baseline == nullptr || pattern.ranks_per_node() < sparsest.ranks_per_node()) {
      baseline = run;
      sparsest = pattern;
    }
    parts.push_back(whole(*run, pattern));
  }
  for (std::vector<RunPart>& classes : mixed) {
    const Profile& run = *classes.front().run;
    if (baseline == nullptr || !(baseline->mean_computation_time() > Seconds{0})) {
      parts.push_back(whole(run, Pattern::parse(measured_reference(run, node).pattern)));
      continue;
    }
    for (RunPart& part : classes) {
      part.baseline = baseline;
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

double spread_of(const RunPart& part) {
  constexpr double kOfOneRank = 0.005;  // nobody to compare it with; assumed
  if (part.baseline == nullptr) return 0;
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const std::uint32_t rank : part.ranks) {
    const double here = part.run->rank_records[rank].computation_time().value;
    const double there = part.baseline->rank_records[rank].computation_time().value;
    if (!(here > 0) || !(there > 0)) continue;
    const double log = std::log(here / there);
    sum += log;
    squares += log * log;
    ++count;
  }
  if (count < 2) return kOfOneRank;
  return std::sqrt(std::max(squares - sum * sum / count, 0.0) / (count - 1) / count);
}

}  // namespace huddle
