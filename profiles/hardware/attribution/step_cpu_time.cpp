#include "profiles/hardware/attribution/step_cpu_time.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/files/kernel_file.hpp"
#include "profiles/files/kernel_text.hpp"
#include "profiles/processes/child_numbers.hpp"
#include "profiles/processes/process_identity.hpp"

namespace huddle::power {
namespace {

// Where no cgroup counts, more are not looked at, so that a step with very many of them does not
// hold up what else is measured; those near slurmstepd come first.
constexpr std::size_t kMostProcesses = 4096;

std::optional<std::string> text_of_file(const std::filesystem::path& path) {
  std::array<char, std::size_t{64} << 10U> text{};
  const long size = files::read_kernel_file(path.c_str(), text.data(), text.size());
  if (size < 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(size));
}

template <class Processes>
bool lacks(const Processes& now, const Processes& before) {
  return std::any_of(before.begin(), before.end(),
                     [&](const auto& process) { return !now.contains(process.first); });
}

}  // namespace

StepCpuTime::StepCpuTime(StepProcesses processes, std::vector<PuSet> groups,
                         std::filesystem::path proc)
    : where_(std::move(processes)),
      groups_(std::move(groups)),
      proc_(std::move(proc)),
      used_(groups_.size()) {}

void StepCpuTime::add(std::uint32_t pu, Seconds time) {
  if (!(time > Seconds{0})) return;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].empty() || groups_[i].contains(pu)) used_[i] += time;
}

// Nanoseconds for each PU.
bool StepCpuTime::look_at_first_version() {
  const auto text = text_of_file(where_.cgroup / "cpuacct.usage_percpu");
  if (!text) return false;
  std::string_view rest = *text;
  for (std::uint32_t pu = 0; !rest.empty() && rest.front() != '\n'; ++pu) {
    const auto blank = rest.find_first_of(" \n");
    const Seconds now{static_cast<double>(files::whole_number(rest.substr(0, blank))) * 1e-9};
    if (pu >= last_counts_.size()) last_counts_.resize(pu + 1);
    add(pu, now - last_counts_[pu]);
    last_counts_[pu] = std::max(last_counts_[pu], now);
    rest.remove_prefix(blank == std::string_view::npos ? rest.size() : blank + 1);
  }
  return true;
}

// One sum, in microseconds.
bool StepCpuTime::look_at_second_version() {
  constexpr std::string_view kKey = "usage_usec ";
  const auto text = text_of_file(where_.cgroup / "cpu.stat");
  const auto at = text ? text->find(kKey) : std::string::npos;
  if (at == std::string::npos) return false;
  const std::string_view rest = std::string_view(*text).substr(at + kKey.size());
  const Seconds now{static_cast<double>(files::whole_number(rest.substr(0, rest.find('\n')))) *
                    1e-6};
  last_counts_.resize(1);
  const Seconds more = now - last_counts_[0];
  last_counts_[0] = std::max(last_counts_[0], now);
  for (const std::uint32_t pu : where_.pus.members())
    add(pu, more * (1.0 / static_cast<double>(where_.pus.size())));
  if (where_.pus.empty())
    for (Seconds& used : used_) used += std::max(more, Seconds{0});
  return true;
}

// Not by recursion: a step's user decides how deep the processes are nested.
StepCpuTime::Processes StepCpuTime::processes() const {
  Processes processes;
  std::vector<std::uint32_t> found;
  if (where_.slurmstepd != 0) found.push_back(where_.slurmstepd);
  for (std::size_t next = 0; next < found.size() && processes.size() < kMostProcesses; ++next) {
    const std::uint32_t pid = found[next];
    const auto status = processes::status_of(pid, proc_);
    if (!status) continue;
    const bool is_new =
        processes
            .emplace(processes::ProcessIdentity{pid, status->started},
                     Process{status->cpu_time, status->cpu_time_of_ended_children, status->pu})
            .second;
    if (!is_new) continue;
    const std::vector<std::uint32_t> children = processes::children_of(pid, proc_);
    found.insert(found.end(), children.begin(), children.end());
  }
  return processes;
}

// A child that ended after its parent was looked at, and before it was itself, is in neither sum:
// so where one of `before` is missing, all are looked at once more, until none ended meanwhile.
StepCpuTime::Processes StepCpuTime::processes_since(const Processes& before) const {
  constexpr int kMostLooks = 4;
  Processes now = processes();
  const Processes* earlier = &before;
  Processes last;
  for (int look = 1; look < kMostLooks && lacks(now, *earlier); ++look) {
    last = std::exchange(now, processes());
    earlier = &last;
  }
  return now;
}

// A parent's sum has all that its ended child used, and a part of that was seen already when the
// child still ran.
void StepCpuTime::look_at_processes() {
  Processes now = processes_since(last_);
  Seconds seen_of_ended;
  for (const auto& [identity, process] : last_)
    if (!now.contains(identity)) seen_of_ended += process.own + process.of_ended_children;
  for (const auto& [identity, process] : now) {
    const auto found = last_.find(identity);
    const Process before = found == last_.end() ? Process{} : found->second;
    add(process.pu, process.own - before.own);
    const Seconds of_ended = process.of_ended_children - before.of_ended_children;
    add(process.pu, of_ended - seen_of_ended);
    seen_of_ended = std::max(seen_of_ended - of_ended, Seconds{0});
  }
  last_ = std::move(now);
}

const std::vector<Seconds>& StepCpuTime::look() {
  const bool is_counted =
      !where_.cgroup.empty() && (look_at_first_version() || look_at_second_version());
  if (!is_counted) look_at_processes();
  return used_;
}

}  // namespace huddle::power
