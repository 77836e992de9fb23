#include "spank_plugin/clocks/step_watch.hpp"

#include <fmt/format.h>

#include <utility>

#include "spank_plugin/detached/detached_process.hpp"

namespace huddle::clocks {
namespace {

// At four looks a second: 15 s. The next hook on the node tries again after that.
constexpr int kTries = 60;

void add_lines(const frequency::FrequencyReport& report, std::vector<std::string>& lines) {
  for (const auto* some : {&report.failures, &report.not_put_back})
    lines.insert(lines.end(), some->begin(), some->end());
}

const char* reason_in(const StepSight& sight) {
  if (!sight.alive) return "slurmstepd ended without doing so";
  if (sight.switched_off) return "Huddle is switched off";
  return sight.activity == StepActivity::kStopped ? "the step is suspended"
                                                  : "its tasks have ended";
}

}  // namespace

StepWatch::StepWatch(frequency::FrequencyControl& control, frequency::Claim claim, PuSet allocated)
    : control_(control), claim_(std::move(claim)), allocated_(std::move(allocated)) {}

void StepWatch::put_back(std::vector<std::string>& lines) {
  const bool first = tries_left_ == 0;
  const frequency::FrequencyReport report = control_.release([&](const frequency::Claim& claim) {
    const bool ours = claim.owner == claim_.owner;
    claimed_ = claimed_ || ours;
    return ours;
  });
  if (first) add_lines(report, lines);
  tries_left_ = report.clean() ? 0 : (first ? kTries : tries_left_ - 1);
}

// Its clocks stay where it left them, until somebody deals with the journal.
void StepWatch::do_without_keeper(std::vector<std::string>& lines) {
  const frequency::FrequencyReport report =
      control_.release([](const frequency::Claim&) { return false; });
  if (keeper_tries_left_ == kTries) {
    lines.push_back(
        fmt::format("the keeper of step {} has died: its clocks go to their upper limit",
                    detached::step_name(claim_.job, claim_.step)));
    add_lines(report, lines);
  }
  keeper_tries_left_ = report.clean() ? 0 : keeper_tries_left_ - 1;
}

std::vector<std::string> StepWatch::look(const StepSight& sight) {
  std::vector<std::string> lines;
  const bool ended = sight.activity == StepActivity::kEnded;
  const bool just_ended = ended && !std::exchange(ended_before_, ended);
  const bool wanted = sight.alive && !sight.switched_off &&
                      sight.activity != StepActivity::kStopped && (!ended || just_ended);
  if (claim_.keeper && !sight.kept) {
    claim_.keeper.reset();
    keeper_tries_left_ = kTries;
  }
  if (keeper_tries_left_ > 0 && wanted && limited_ && !ended) do_without_keeper(lines);
  if (!wanted && (limited_ || tries_left_ > 0)) {
    const bool was_claimed = claimed_;
    const bool first = limited_;
    claimed_ = false;
    put_back(lines);
    if (first && claimed_)
      lines.insert(lines.begin(),
                   fmt::format("clocks of step {} are put back: {}",
                               detached::step_name(claim_.job, claim_.step), reason_in(sight)));
    claimed_ = claimed_ || was_claimed;
    limited_ = false;
  } else if (wanted && !limited_ && !ended) {
    tries_left_ = 0;
    limited_ = true;
    if (claimed_) {
      const frequency::FrequencyReport report = control_.claim(claim_, allocated_);
      lines.push_back(fmt::format("clocks of step {} are limited again",
                                  detached::step_name(claim_.job, claim_.step)));
      add_lines(report, lines);
    }
  }
  over_ = !sight.alive && tries_left_ == 0;
  return lines;
}

}  // namespace huddle::clocks
