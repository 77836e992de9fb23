#include "profiles/energyd/daemon/ended_steps.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

namespace huddle::energyd {
namespace {

constexpr std::uint32_t kFew = 1000;
constexpr std::uint32_t kMany = 1001;
constexpr EndedSteps::Time kBegin{std::chrono::hours(1)};

AnsweredStep step_of(std::uint32_t user, std::uint32_t job) {
  return {{job, "0"}, user, false, {}};
}

std::ptrdiff_t steps_of(const EndedSteps& ended, std::uint32_t user) {
  const std::vector<AnsweredStep> steps = ended.steps();
  return std::count_if(steps.begin(), steps.end(),
                       [&](const AnsweredStep& step) { return step.user == user; });
}

TEST_CASE("many short steps of one user push out their own, not another user's") {
  EndedSteps ended;
  ended.add(step_of(kFew, 1), kBegin);
  ended.add(step_of(kFew, 2), kBegin);
  for (std::uint32_t job = 10; job < 10 + 2 * EndedSteps::kMost; ++job)
    ended.add(step_of(kMany, job), kBegin);
  CHECK(ended.steps().size() == EndedSteps::kMost);
  CHECK(steps_of(ended, kFew) == 2);
  CHECK(ended.steps().front().id.job == 9 + 2 * EndedSteps::kMost);
  CHECK(ended.steps().back().id.job == 1);
  CHECK(ended.had_lately(kFew, kBegin));
}

TEST_CASE("a user counts as one with steps for ten minutes after the last one") {
  EndedSteps ended;
  ended.add(step_of(kFew, 1), kBegin);
  ended.add(step_of(kFew, 2), kBegin + std::chrono::minutes(5));
  CHECK(ended.had_lately(kFew, kBegin + std::chrono::minutes(14)));
  CHECK_FALSE(ended.had_lately(kFew, kBegin + std::chrono::minutes(16)));
  CHECK(ended.has(kFew));
  CHECK_FALSE(ended.had_lately(kMany, kBegin));
  CHECK_FALSE(ended.has(kMany));
}

}  // namespace
}  // namespace huddle::energyd
