#include "spank_plugin/frequency/settlement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <thread>

#include "spank_plugin/frequency/claims.hpp"
#include "spank_plugin/frequency/driver_family.hpp"

namespace huddle {
namespace {

std::string path_of(std::uint32_t policy, Control control) {
  return fmt::format("cpufreq/policy{}/{}", policy, file_of(control));
}

std::string unreadable(std::uint32_t policy) {
  return fmt::format("cpufreq/policy{} can't be read", policy);
}

std::string reason_of(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace

Settlement::Settlement(CpufreqFiles& files, const Journal& journal, Scope scope)
    : files_(files), journal_(journal) {
  std::set<std::uint32_t> saved;
  for (const SavedControl& control : journal.controls) saved.insert(control.policy);
  for (const std::uint32_t number : files.policies()) {
    const auto limits = wanted_limits(journal.claims, pus_of_policy(files, number));
    const bool is_saved = saved.erase(number) > 0;
    if (!limits && !is_saved) continue;
    if (limits && scope == Scope::kPutBackOnly) continue;
    const auto now = read_policy(files, number);
    if (!now)
      (limits ? not_set_ : not_put_back_).push_back(unreadable(number));
    else if (limits)
      plan_claimed(*now, *limits);
    else
      plan_restored(*now);
  }
  for (const std::uint32_t number : saved) not_put_back_.push_back(unreadable(number));
}

// The policy as it was before we wrote to it.
CpufreqPolicy Settlement::untouched(const CpufreqPolicy& now) const {
  CpufreqPolicy before = now;
  for (auto& [control, value] : before.values)
    if (const SavedControl* saved = journal_.find(now.number, control)) value = saved->original;
  return before;
}

bool Settlement::changed_by_others(const CpufreqPolicy& now, const SavedControl& saved) const {
  const std::string value = now.value(saved.control);
  return value != saved.written && value != saved.original;
}

void Settlement::plan_claimed(const CpufreqPolicy& now, const ClockLimits& limits) {
  for (const SavedControl& saved : journal_.controls)
    if (saved.policy == now.number && changed_by_others(now, saved)) {
      not_set_.push_back(fmt::format("{} was changed by somebody else to {}, and is left so",
                                     path_of(saved.policy, saved.control),
                                     now.value(saved.control)));
      return;
    }
  const CpufreqPolicy before = untouched(now);
  ControlValues wanted;  // what the limits don't need goes back
  for (const SavedControl& saved : journal_.controls)
    if (saved.policy == now.number) wanted[saved.control] = saved.original;
  for (const auto& [control, value] : values_for(before, limits)) wanted[control] = value;
  for (const auto& [control, value] : writes_for(now, wanted)) {
    if (SavedControl* saved = journal_.find(now.number, control))
      saved->written = value;
    else
      journal_.controls.push_back({now.number, control, now.value(control), value});
    writes_.push_back({now.number, control, value, false});
    sets_something_ = true;
  }
}

void Settlement::plan_restored(const CpufreqPolicy& now) {
  ControlValues originals;
  for (const Control control : kControls) {
    const SavedControl* saved = journal_.find(now.number, control);
    if (saved == nullptr) continue;
    if (!changed_by_others(now, *saved)) {
      originals[control] = saved->original;
      if (now.value(control) != saved->original) continue;
    } else {
      not_put_back_.push_back(
          fmt::format("{} is left at {}: somebody else has changed it since Huddle wrote {}",
                      path_of(saved->policy, control), now.value(control), saved->written));
    }
    forget(now.number, control);
  }
  for (const auto& [control, value] : writes_for(now, originals))
    writes_.push_back({now.number, control, value, true});
}

std::vector<std::string>& Settlement::failures_of(const Write& write) {
  return write.restores ? not_put_back_ : not_set_;
}

void Settlement::apply(std::chrono::milliseconds patience) {
  for (Write& write : writes_)
    if (const int refusal = files_.write(write.policy, file_of(write.control), write.value)) {
      write.refused = true;
      failures_of(write).push_back(fmt::format("can't write {} to {}: {}", write.value,
                                               path_of(write.policy, write.control),
                                               reason_of(refusal)));
    }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (const Write& write : writes_) read_back(write, deadline);
  writes_.clear();
}

void Settlement::read_back(const Write& write, std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::microseconds kPause{200};
  std::string got;
  for (;;) {
    got = files_.read(write.policy, file_of(write.control)).value_or("");
    if (got == write.value || write.refused || std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kPause);
  }
  SavedControl* saved = journal_.find(write.policy, write.control);
  if (got == write.value) {
    if (write.restores || (saved != nullptr && got == saved->original))
      forget(write.policy, write.control);
    return;
  }
  if (!write.refused)
    failures_of(write).push_back(fmt::format("{} is {} though {} was written to it",
                                             path_of(write.policy, write.control),
                                             got.empty() ? "unreadable" : got, write.value));
  if (saved == nullptr || !plausible(write.control, got)) return;
  saved->written = got;
  if (got == saved->original) forget(write.policy, write.control);
}

void Settlement::forget(std::uint32_t policy, Control control) {
  std::erase_if(journal_.controls, [&](const SavedControl& saved) {
    return saved.policy == policy && saved.control == control;
  });
}

}  // namespace huddle
