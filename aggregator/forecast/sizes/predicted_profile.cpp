#include "aggregator/forecast/sizes/predicted_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "aggregator/forecast/laws/left_out_errors.hpp"
#include "aggregator/forecast/sizes/layout_at_size.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

// Fewer sizes leave none to try the law on.
constexpr std::size_t kSizesForError = 3;
// Beyond so many times the largest size a warning is due even where a law fits well.
constexpr double kFarBeyond = 2;

std::string list_of(const std::vector<double>& sizes) {
  std::vector<std::string> texts;
  for (const double size : sizes) texts.push_back(problem_size_text(size));
  return fmt::format("{}", fmt::join(texts, ", "));
}

RunsOfLayout without(const RunsOfLayout& runs, double size) {
  RunsOfLayout others;
  for (std::size_t run = 0; run < runs.sizes.size(); ++run) {
    if (runs.sizes[run] == size) continue;
    others.profiles.push_back(runs.profiles[run]);
    others.sizes.push_back(runs.sizes[run]);
  }
  return others;
}

// How far off, on logarithms, the run time of each size is when it is predicted from the others.
// Between the sizes only those between others count, if there are several.
std::vector<double> left_out_errors(const RunsOfLayout& runs, double target) {
  const std::vector<double> sizes = runs.different_sizes();
  const bool between = target > sizes.front() && target < sizes.back();
  const std::size_t edge = between && sizes.size() > kSizesForError ? 1 : 0;
  std::vector<double> errors;
  for (std::size_t i = edge; i + edge < sizes.size(); ++i) {
    const RunsOfLayout others = without(runs, sizes[i]);
    const Seconds told = LayoutAtSize(others, sizes[i]).run_time();
    for (std::size_t run = 0; run < runs.sizes.size(); ++run)
      if (runs.sizes[run] == sizes[i])
        errors.push_back(std::log(told / runs.profiles[run]->run_time()));
  }
  return errors;
}

// Half the width, on logarithms, of an interval that holds 90 % by these errors.
double half_width_by(const std::vector<double>& errors) {
  constexpr double kNinetyPercentOfNormal = 1.645;
  double squares = 0;
  for (const double error : errors) squares += error * error;
  return kNinetyPercentOfNormal * few_groups_factor(errors.size()) *
         std::sqrt(squares / static_cast<double>(errors.size()));
}

// As wide as sizes that are left out ask for, and at least what a law of the whole run time says.
void add_interval(PredictedProfiles& told, const RunsOfLayout& runs) {
  const std::optional<Estimate> law = LayoutAtSize(runs, told.size).run_time_by_law();
  if (!law || told.from.size() < kSizesForError) {
    told.notes.emplace_back(
        "how far off it may be is unknown: that takes runs of three sizes or more");
    return;
  }
  const double left_out = std::exp(half_width_by(left_out_errors(runs, told.size)));
  const double time = told.run_time.value;
  told.run_time_low =
      Seconds{std::min({time / left_out, time * law->low / law->value, law->value})};
  told.run_time_high =
      Seconds{std::max({time * left_out, time * law->high / law->value, law->value})};
}

void look_for_doubts(PredictedProfiles& told) {
  const double smallest = told.from.front();
  const double largest = told.from.back();
  if (told.size > largest) told.beyond = told.size / largest;
  if (told.size < smallest) told.beyond = smallest / told.size;
  if (told.beyond <= 1) return;
  told.notes.push_back(fmt::format(
      "size {} is {:.3g} times {}: {}", problem_size_text(told.size),
      told.size > largest ? told.beyond : 1 / told.beyond,
      told.size > largest ? "the largest that was run" : "the smallest that was run",
      told.beyond > kFarBeyond ? "caches, memory and messages may behave otherwise there, and no "
                                 "interval knows of that"
                               : "it is not between sizes that were run"));
}

}  // namespace

PredictedProfiles predict_profiles(const std::vector<SizedRun>& measured, double size,
                                   const NodeTopology& node) {
  check_one_program(measured);
  const std::vector<SizedRun> runs = told_apart_by_placement(measured, node);
  PredictedProfiles told;
  told.size = size;
  std::size_t too_few = 0;
  for (const RunsOfLayout& layout : by_layout(runs)) {
    const std::vector<double> sizes = layout.different_sizes();
    if (sizes.size() < 2) {
      ++too_few;
      continue;
    }
    Profile profile = LayoutAtSize(layout, size).predicted();
    profile.notes = {fmt::format("Predicted for size {} from runs of sizes {}: not measured.",
                                 problem_size_text(size), list_of(sizes))};
    if (told.profiles.empty()) {
      told.from = sizes;
      told.run_time = profile.run_time();
      add_interval(told, layout);
    }
    told.profiles.push_back(std::move(profile));
  }
  if (told.profiles.empty())
    throw Error(fmt::format(
        "{} nothing about size {}: that takes runs of two sizes "
        "or more, better three, with the ranks on the same cores",
        counted(measured.size(), "profile says", "profiles say"), problem_size_text(size)));
  look_for_doubts(told);
  if (too_few > 0)
    told.notes.push_back(fmt::format("{} run with one size only",
                                     counted(too_few, "layout of ranks is not used: it was",
                                             "layouts of ranks are not used: they were")));
  return told;
}

}  // namespace huddle
