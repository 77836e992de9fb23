#include "profiles/energyd/daemon/ended_steps.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace huddle::energyd {

void EndedSteps::add(AnsweredStep step, Time now) {
  ended_.push_front({std::move(step), now});
  if (ended_.size() > kMost) forget_one();
}

void EndedSteps::forget_one() {
  std::map<std::uint32_t, std::size_t> counts;
  std::size_t most = 0;
  for (const Ended& one : ended_) most = std::max(most, ++counts[one.step.user]);
  const auto oldest = std::find_if(ended_.rbegin(), ended_.rend(),
                                   [&](const Ended& one) { return counts[one.step.user] == most; });
  ended_.erase(std::next(oldest).base());
}

bool EndedSteps::has(std::uint32_t user) const {
  return std::any_of(ended_.begin(), ended_.end(),
                     [&](const Ended& one) { return one.step.user == user; });
}

bool EndedSteps::had_lately(std::uint32_t user, Time now) const {
  return std::any_of(ended_.begin(), ended_.end(), [&](const Ended& one) {
    return one.step.user == user && now - one.at < kLately;
  });
}

std::vector<AnsweredStep> EndedSteps::steps() const {
  std::vector<AnsweredStep> steps;
  for (const Ended& one : ended_) steps.push_back(one.step);
  return steps;
}

}  // namespace huddle::energyd
