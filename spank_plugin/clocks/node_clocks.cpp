#include "spank_plugin/clocks/node_clocks.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

// glibc 2.36 declares these functions outside of extern "C".
extern "C" {
}

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_file.hpp"
#include "profiles/processes/process_descriptor.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/frequency/cpufreq_policy.hpp"
#include "spank_plugin/frequency/driver_family.hpp"
#include "spank_plugin/frequency/journal.hpp"
#include "spank_plugin/frequency/journal_directory.hpp"

namespace huddle::clocks {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

bool is_ours(const fs::path& process, const fs::path& own) {
  struct stat owner {};
  struct stat its_namespace {};
  struct stat own_namespace {};
  return ::stat(process.c_str(), &owner) == 0 && owner.st_uid == ::geteuid() &&
         ::stat((process / "ns/pid").c_str(), &its_namespace) == 0 &&
         ::stat((own / "ns/pid").c_str(), &own_namespace) == 0 &&
         its_namespace.st_ino == own_namespace.st_ino;
}

std::vector<std::string> words_of_process(const fs::path& process) {
  std::array<char, 4096> text{};
  const long size =
      files::read_kernel_file((process / "cmdline").c_str(), text.data(), text.size());
  std::vector<std::string> words;
  std::string_view rest(text.data(), static_cast<std::size_t>(std::max<long>(size, 0)));
  while (!rest.empty()) words.emplace_back(take_until(rest, '\0'));
  return words;
}

struct ClockNow {
  std::uint32_t policy = 0;
  PuSet pus;
  frequency::ClockLimits hardware;
  frequency::ControlValues values;
  [[nodiscard]] frequency::ClockLimits limits() const { return frequency::limits_in(values); }
};

std::vector<ClockNow> clocks_now(const frequency::CpufreqFiles& files) {
  std::vector<ClockNow> clocks;
  for (const auto& [number, pus] : frequency::pus_by_policy(files)) {
    const auto policy =
        frequency::read_policy(files, number, pus, frequency::driver_of(files, number));
    if (policy) clocks.push_back({number, pus, policy->hardware, policy->values});
  }
  return clocks;
}

// Nothing where the journal's directory is closed to this user. No lock: nothing is changed.
std::optional<frequency::Journal> journal_for_people(
    const frequency::FrequencyControl::Settings& settings) {
  try {
    const auto directory = frequency::JournalDirectory::open_unlocked(settings.journal_directory);
    frequency::Journal journal;
    if (const auto text = directory ? directory->read() : std::nullopt)
      journal = frequency::readable_part_of(*text, settings.boot);
    if (journal.boot != settings.boot) journal = {};
    std::erase_if(journal.claims,
                  [&](const frequency::Claim& claim) { return !settings.alive(claim.owner); });
    return journal;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Json khz(const frequency::ClockLimits& limits) {
  return Json::array({limits.least_khz, limits.most_khz});
}

std::vector<std::string> steps_of(const frequency::Journal& journal, const PuSet& pus) {
  std::set<std::string> steps;
  for (const frequency::Claim& claim : journal.claims)
    for (const std::uint32_t pu : pus.members())
      if (claim.limits.contains(pu)) steps.insert(detached::step_name(claim.job, claim.step));
  return {steps.begin(), steps.end()};
}

Json keepers_of(const frequency::Journal& journal) {
  Json keepers = Json::array();
  for (const frequency::Claim& claim : journal.claims) {
    if (!claim.keeper) continue;
    std::map<std::pair<std::uint32_t, std::uint32_t>, PuSet> pus;
    for (const auto& [pu, limits] : claim.limits) pus[{limits.least_khz, limits.most_khz}].add(pu);
    Json clocks = Json::array();
    for (const auto& [limits, those] : pus)
      clocks.push_back({{"pus", those.list()}, {"limits_khz", {limits.first, limits.second}}});
    keepers.push_back({{"pid", claim.keeper->pid},
                       {"step", detached::step_name(claim.job, claim.step)},
                       {"clocks", std::move(clocks)}});
  }
  return keepers;
}

// Returns the limits that the clock had before Huddle; nothing if Huddle has not limited it.
std::optional<frequency::ClockLimits> before_huddle(const frequency::Journal& journal,
                                                    const ClockNow& clock) {
  frequency::ControlValues values = clock.values;
  bool any = false;
  for (const frequency::Control control : frequency::kControls)
    if (const auto saved = journal.controls.find({clock.policy, control});
        saved != journal.controls.end()) {
      values[control] = saved->second.original;
      any = true;
    }
  return any ? std::optional(frequency::limits_in(values)) : std::nullopt;
}

Json json_of(const ClockNow& clock) {
  return {
      {"policy", clock.policy}, {"pus", clock.pus.list()}, {"hardware_khz", khz(clock.hardware)}};
}

// Writes the hardware's own limits where a clock has others.
void widen_all(frequency::CpufreqFiles& files, std::vector<std::string>& messages) {
  for (const ClockNow& clock : clocks_now(files)) {
    const frequency::ControlValues wanted = {
        {frequency::Control::kLeast, std::to_string(clock.hardware.least_khz)},
        {frequency::Control::kMost, std::to_string(clock.hardware.most_khz)}};
    for (const auto& [control, value] : frequency::writes_for(clock.values, wanted))
      if (const int refusal = files.write(clock.policy, frequency::file_of(control), value))
        messages.push_back(fmt::format("can't write {} to cpufreq/policy{}/{}: {}", value,
                                       clock.policy, frequency::file_of(control),
                                       std::generic_category().message(refusal)));
  }
}

}  // namespace

std::vector<RunningWatcher> running_watchers(const fs::path& proc) {
  constexpr std::string_view kName = "huddle_clocks";
  std::vector<RunningWatcher> watchers;
  for (const std::string& name : files::names_in(proc)) {
    const auto pid = number_in<std::uint32_t>(name);
    if (!pid || !is_ours(proc / name, proc / "self")) continue;
    const auto words = words_of_process(proc / name);
    if (words.size() == 3 && fs::path(words[0]).filename() == kName && words[1] == "watch")
      watchers.push_back({*pid, words[2]});
  }
  std::sort(watchers.begin(), watchers.end(),
            [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return watchers;
}

std::size_t end_watchers(const std::vector<RunningWatcher>& watchers,
                         std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  std::vector<files::OwnedDescriptor> descriptors;
  for (const RunningWatcher& watcher : watchers) {
    files::OwnedDescriptor descriptor = processes::descriptor_of(watcher.pid);
    if (!descriptor.valid()) continue;
    processes::send_signal(descriptor, SIGTERM);
    descriptors.push_back(std::move(descriptor));
  }
  std::size_t ended = 0;
  for (const files::OwnedDescriptor& descriptor : descriptors) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    struct pollfd waiting {
      descriptor.number(), POLLIN, 0
    };
    if (::poll(&waiting, 1, static_cast<int>(std::max<long>(left, 0))) > 0) ++ended;
  }
  return ended;
}

std::string clocks_document(const frequency::CpufreqFiles& files,
                            const frequency::FrequencyControl::Settings& settings,
                            const NodeState& node) {
  const std::optional<frequency::Journal> journal = journal_for_people(settings);
  Json document = {{"switched_off", node.switched_off},
                   {"slurmd_has_plugin", node.slurmd_marked},
                   {"journal", settings.journal_directory.string()},
                   {"journal_readable", journal.has_value()},
                   {"clocks", Json::array()},
                   {"watchers", Json::array()},
                   {"keepers", journal ? keepers_of(*journal) : Json::array()}};
  for (const ClockNow& clock : clocks_now(files)) {
    Json entry = json_of(clock);
    entry["limits_khz"] = khz(clock.limits());
    const auto before = journal ? before_huddle(*journal, clock) : std::nullopt;
    entry["before_huddle_khz"] = before ? khz(*before) : Json();
    entry["steps"] = journal ? Json(steps_of(*journal, clock.pus)) : Json::array();
    document["clocks"].push_back(std::move(entry));
  }
  for (const RunningWatcher& watcher : node.watchers)
    document["watchers"].push_back({{"pid", watcher.pid}, {"step", watcher.step}});
  return document.dump(1) + "\n";
}

std::string restore_clocks(frequency::CpufreqFiles& files,
                           const frequency::FrequencyControl::Settings& settings, Restore which,
                           const std::function<std::size_t()>& end_steps) {
  const std::vector<ClockNow> before = clocks_now(files);
  const frequency::Journal journal = journal_for_people(settings).value_or(frequency::Journal{});
  const std::size_t ended = end_steps();
  frequency::FrequencyControl control(files, settings);
  const frequency::FrequencyReport report =
      control.release([](const frequency::Claim&) { return true; });
  std::vector<std::string> messages = report.failures;
  messages.insert(messages.end(), report.not_put_back.begin(), report.not_put_back.end());
  if (which == Restore::kAll) widen_all(files, messages);

  std::map<std::uint32_t, ClockNow> after;
  for (ClockNow& clock : clocks_now(files)) after.emplace(clock.policy, std::move(clock));
  Json document = {{"watchers_ended", ended}, {"clocks", Json::array()}};
  for (const ClockNow& clock : before) {
    const auto now = after.find(clock.policy);
    const frequency::ClockLimits limits =
        now == after.end() ? frequency::ClockLimits{} : now->second.limits();
    if (clock.limits() == clock.hardware && limits == clock.limits()) continue;
    Json entry = json_of(clock);
    entry["before_khz"] = khz(clock.limits());
    entry["after_khz"] = khz(limits);
    entry["by_huddle"] = before_huddle(journal, clock).has_value();
    document["clocks"].push_back(std::move(entry));
  }
  document["messages"] = messages;
  return document.dump(1) + "\n";
}

}  // namespace huddle::clocks
