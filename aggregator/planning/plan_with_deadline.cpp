#include "aggregator/planning/plan_with_deadline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "aggregator/planning/detail/store/plan_lock.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/store/store_entrance.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

using Clock = std::chrono::steady_clock;

Decision leave(std::string reason) {
  Decision decision;
  decision.reason = std::move(reason);
  return decision;
}

// In place of a decision: this user's other plans are being made.
constexpr std::string_view kBusy = "busy";
// The same: another process waits for a store that takes no changes.
constexpr std::string_view kClosed = "closed";

// Where only its teams are not chosen yet, a job's plan is there.
std::optional<JobAnswer> known_without_teams(const store::Store& store,
                                             const PlanRequest& request) {
  if (!request.packs_threads) return std::nullopt;
  PlanRequest without_teams = request;
  without_teams.packs_threads = false;
  return known_answer(store, without_teams);
}

constexpr std::chrono::milliseconds kToAnswer{100};

// A second measured run is tried once, but this job will not be it.
void keep_for_next_job(const Decision& decision, const std::filesystem::path& plan) {
  if (decision.action != Decision::Action::kMeasure || !decision.lays_out()) return;
  std::error_code ignored;  // then there is none
  std::filesystem::rename(decision.plan_file, late_sample_path(plan), ignored);
}

// Makes the plan; the decision as text, for the process that waits. Empty if another process is at
// it.
std::string make(const store::Store& store, const PlanRequest& request,
                 const std::filesystem::path& plan, Clock::time_point deadline,
                 std::chrono::seconds most_time) {
  std::optional<store::StoreEntrance> entrance(std::in_place, store, deadline - kToAnswer);
  if (!entrance->held()) return std::string(kClosed);
  store.make_folder(key_of(request), request.make_store);
  PlanLock lock(plan);
  entrance.reset();
  if (!lock.held()) return {};
  if (lock.attempts() >= kMostPlanAttempts && !known_answer(store, request)) {
    if (const auto plain = known_without_teams(store, request)) return to_json(plain->decision);
    return to_json(leave(fmt::format(
        "a plan was begun {} times and never done, within {} s or the memory that it may take: run "
        "huddle plan by hand, or remove {}",
        lock.attempts(), most_time.count(), PlanLock::file_for(plan).string())));
  }
  const PlannerLock planner(store.part_of(request.user), deadline - kToAnswer);
  if (!planner.held()) return std::string(kBusy);
  lock.begin();
  try {
    const Decision decision = decide_job(store, request).decision;
    lock.done();
    if (Clock::now() >= deadline + kToAnswer) keep_for_next_job(decision, plan);
    return to_json(decision);
  } catch (const Error&) {
    // The process that waits reports why. What nobody hears of must not be tried for ever.
    if (Clock::now() < deadline) lock.done();
    throw;
  }
}

// Of another submission's plan.
std::optional<JobAnswer> wait_for_answer(Clock::time_point deadline, const store::Store& store,
                                         const PlanRequest& request) {
  constexpr std::chrono::milliseconds kPause{20};
  for (;;) {
    if (std::optional<JobAnswer> answer = known_answer(store, request)) return answer;
    const auto left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) return std::nullopt;
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kPause));
  }
}

}  // namespace

JobAnswer decide_job_within(std::chrono::milliseconds wait, const store::Store& store,
                            const PlanRequest& request, const DetachedLimits& limits) {
  const Clock::time_point deadline = Clock::now() + wait;
  if (std::optional<JobAnswer> answer = known_answer(store, request)) return std::move(*answer);
  const std::filesystem::path plan = plan_path(store, request, profiles_for(store, request));
  const std::optional<std::string> decision =
      run_detached([&] { return make(store, request, plan, deadline, limits.time); }, wait, limits);
  if (decision == kBusy || decision == kClosed)
    if (std::optional<JobAnswer> answer = known_without_teams(store, request))
      return std::move(*answer);
  if (decision == kBusy)
    return {leave("other plans of yours are being made: a later submission makes the one for this "
                  "job"),
            std::nullopt};
  if (decision == kClosed)
    return {leave(fmt::format("the store does not answer: an earlier plan of yours still waits for "
                              "{}",
                              store.root().string())),
            std::nullopt};
  if (decision && !decision->empty()) {
    JobAnswer answer{parse_decision(*decision, "what was decided"), std::nullopt};
    // People see the plan, too; it was stored, if there is one.
    const std::filesystem::path shown =
        answer.decision.lays_out() ? std::filesystem::path(answer.decision.plan_file) : plan;
    if (request.every_pattern) answer.plan = stored_plan(shown, request);
    return answer;
  }
  if (decision)
    if (std::optional<JobAnswer> answer = wait_for_answer(deadline, store, request))
      return std::move(*answer);
  if (std::optional<JobAnswer> answer = known_without_teams(store, request))
    return std::move(*answer);
  return {leave("the plan for this job is still being made: the next submission will have it"),
          std::nullopt};
}

}  // namespace huddle::planning
