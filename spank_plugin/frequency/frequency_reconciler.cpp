#include "spank_plugin/frequency/frequency_reconciler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <thread>

#include "spank_plugin/frequency/driver_family.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle::frequency {
namespace {

std::string path_of(std::uint32_t policy, Control control) {
  return fmt::format("cpufreq/policy{}/{}", policy, file_of(control));
}

std::string unreadable(std::uint32_t policy) {
  return fmt::format("cpufreq/policy{} can't be read", policy);
}

bool changed_by_others(const SavedValue& saved, const std::string& current) {
  return current != saved.original && !saved.may_have_written(current);
}

std::string reason_of(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace

FrequencyReconciler::FrequencyReconciler(CpufreqFiles& files,
                                         const std::map<std::uint32_t, PuSet>& policies,
                                         const Journal& journal, Scope scope, Changed changed)
    : files_(files), journal_(journal) {
  std::string driver;
  std::set<std::uint32_t> unclaimed;
  for (const auto& [saved, value] : journal.controls) unclaimed.insert(saved.policy);
  for (const auto& [number, pus] : policies) {
    const auto limits = wanted_limits(journal.claims, pus);
    if (!limits) continue;
    unclaimed.erase(number);
    if (scope == Scope::kPutBackOnly) continue;
    if (driver.empty()) driver = driver_of(files, number);
    if (const auto now = read_policy(files, number, pus, driver))
      plan_claimed(*now, *limits);
    else
      not_set_.push_back(unreadable(number));
  }
  for (const std::uint32_t number : unclaimed) plan_restored(number, changed);
}

ControlValues FrequencyReconciler::originals_of(std::uint32_t policy) const {
  ControlValues originals;
  for (const Control control : kControls)
    if (const auto saved = journal_.controls.find({policy, control});
        saved != journal_.controls.end())
      originals[control] = saved->second.original;
  return originals;
}

void FrequencyReconciler::plan_claimed(const CpufreqPolicy& now, const ClockLimits& limits) {
  claimed_[now.number] = now.values;
  ControlValues wanted = originals_of(now.number);  // what the limits don't need goes back
  for (const auto& [control, original] : wanted)
    if (const SavedValue& saved = journal_.controls.at({now.number, control});
        changed_by_others(saved, now.value(control))) {
      not_set_.push_back(fmt::format("{} was changed by somebody else to {}, and is left so",
                                     path_of(now.number, control), now.value(control)));
      return;
    }
  CpufreqPolicy untouched = now;
  for (const auto& [control, original] : wanted) untouched.values[control] = original;
  for (const auto& [control, value] : values_for(untouched, limits)) wanted[control] = value;
  ControlValues shown = now.values;
  if (is_moved(journal_.claims, now.pus)) plan_moved(now, wanted, shown);
  for (const auto& [control, value] : writes_for(shown, wanted)) {
    const SavedValue saved{now.value(control), value};
    const auto [place, is_new] =
        journal_.controls.emplace(SavedControl{now.number, control}, saved);
    if (!is_new) place->second.written = value;
    if (parse_khz(place->second.lowest) >= parse_khz(value)) place->second.lowest.clear();
    writes_.push_back({now.number, control, value, false});
    sets_something_ = true;
  }
}

// The entry is there before the keeper writes, also where the clock's upper limit is at the top
// now.
void FrequencyReconciler::plan_moved(const CpufreqPolicy& now, const ControlValues& wanted,
                                     ControlValues& shown) {
  const ClockLimits limits = limits_in(wanted);
  if (limits.least_khz >= limits.most_khz) return;
  const std::string current = now.value(Control::kMost);
  SavedValue saved{current, wanted.at(Control::kMost), wanted.at(Control::kLeast)};
  const auto [place, is_new] =
      journal_.controls.emplace(SavedControl{now.number, Control::kMost}, saved);
  saved.original = place->second.original;
  // A value that another keeper may have left there is Huddle's own as well.
  const std::string& before = place->second.lowest;
  if (!before.empty() && parse_khz(before) < parse_khz(saved.lowest)) saved.lowest = before;
  // It has the clock in hand already, and would not learn of another value there.
  if (!is_new && place->second == saved && saved.may_have_written(current))
    shown[Control::kMost] = saved.written;
  place->second = saved;
  moved_.push_back({now.number, now.pus, limits});
}

void FrequencyReconciler::plan_restored(std::uint32_t policy, Changed changed) {
  ControlValues originals = originals_of(policy);
  ControlValues now;
  for (const Control control : kControls)
    if (control == Control::kLeast || control == Control::kMost || originals.contains(control))
      if (auto value = read_control(files_, policy, control)) now[control] = std::move(*value);
  if (now.empty()) return not_put_back_.push_back(unreadable(policy));
  const ControlValues saved_originals = originals;
  for (const auto& [control, original] : saved_originals) {
    const auto saved = journal_.controls.find({policy, control});
    const std::string current = now[control];
    if (changed_by_others(saved->second, current)) {
      not_put_back_.push_back(
          fmt::format("{} is left at {}: somebody else has changed it since Huddle wrote {}",
                      path_of(policy, control), current, saved->second.written));
      originals.erase(control);
      if (changed == Changed::kForget) journal_.controls.erase(saved);
    } else if (current == original) {
      journal_.controls.erase(saved);
    }
  }
  for (const auto& [control, value] : writes_for(now, originals))
    writes_.push_back({policy, control, value, true});
}

std::map<std::uint32_t, ClockLimits> FrequencyReconciler::claimed_limits() const {
  std::map<std::uint32_t, ClockLimits> limits;
  for (const auto& [policy, values] : claimed_) limits[policy] = limits_in(values);
  return limits;
}

std::vector<std::string>& FrequencyReconciler::failures_of(const Write& write) {
  return write.restores ? not_put_back_ : not_set_;
}

void FrequencyReconciler::apply(std::chrono::milliseconds patience) {
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

void FrequencyReconciler::read_back(const Write& write,
                                    std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::microseconds kPause{200};
  std::string got;
  for (;;) {
    got = files_.read(write.policy, file_of(write.control)).value_or("");
    if (got == write.value || write.refused || std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kPause);
  }
  if (const auto shown = claimed_.find(write.policy); shown != claimed_.end())
    shown->second[write.control] = got;
  const auto saved = journal_.controls.find({write.policy, write.control});
  if (got == write.value) {
    if (saved != journal_.controls.end() && got == saved->second.original &&
        (write.restores || saved->second.lowest.empty()))
      journal_.controls.erase(saved);
    return;
  }
  if (!write.refused)
    failures_of(write).push_back(fmt::format("{} is {} though {} was written to it",
                                             path_of(write.policy, write.control),
                                             got.empty() ? "unreadable" : got, write.value));
  if (saved == journal_.controls.end() || !plausible(write.control, got)) return;
  if (!saved->second.lowest.empty() && saved->second.may_have_written(got)) return;
  saved->second.written = got;
  if (got == saved->second.original) journal_.controls.erase(saved);
}

}  // namespace huddle::frequency
