#include "spank_plugin/frequency/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::frequency {
namespace {

constexpr std::string_view kHead = "huddle frequency journal 1";
constexpr std::string_view kEnd = "end";
constexpr std::uint32_t kMostPolicies = 1U << 16U;

void read_control(FieldReader& line, Journal& journal) {
  SavedControl saved;
  saved.policy = line.number<std::uint32_t>(kMostPolicies);
  const auto control = control_of(line.field());
  if (!control) line.refuse("a file of cpufreq that Huddle writes to");
  saved.control = *control;
  SavedValue values;
  for (std::string* value : {&values.original, &values.written}) {
    *value = line.field();
    if (!plausible(saved.control, *value)) line.refuse("values that this file can have");
  }
  if (line.has_more()) {
    values.lowest = line.field();
    const auto lowest = parse_khz(values.lowest);
    if (saved.control != Control::kMost || !lowest || *lowest >= parse_khz(values.written))
      line.refuse("an upper limit's least value, below the one that was written");
  }
  if (!journal.controls.emplace(saved, values).second) line.refuse("each control once");
}

Claim read_claim(FieldReader& line) {
  Claim claim;
  claim.job = line.number<std::uint32_t>();
  claim.step = line.number<std::uint32_t>();
  const std::string_view kind = line.field();
  if (kind != "step" && kind != "job") line.refuse("step or job");
  claim.whole_job = kind == "job";
  claim.owner.pid = line.number<std::uint32_t>();
  claim.owner.started = line.number<std::uint64_t>();
  try {
    claim.limits = parse_limits_by_pu(line.field());
  } catch (const FormatError&) {
    throw;
  } catch (const Error& error) {
    line.refuse(error.what());
  }
  if (line.has_more()) {
    if (line.field() != "keeper") line.refuse("keeper");
    claim.keeper.emplace();
    claim.keeper->pid = line.number<std::uint32_t>();
    claim.keeper->started = line.number<std::uint64_t>();
  }
  return claim;
}

// One line between the head's and the end.
void read_entry(FieldReader& line, Journal& journal) {
  const std::string_view word = line.field();
  if (word == "control")
    read_control(line, journal);
  else if (word == "claim")
    journal.claims.push_back(read_claim(line));
  else
    line.refuse("control, claim or end");
  line.end_of_line();
}

bool is_boot_id(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f') ||
                  letter == '-';
         });
}

void raise(std::optional<ClockLimits>& highest, const ClockLimits& limits) {
  highest = highest ? higher(*highest, limits) : limits;
}

// True if a numbered step of the same job has a claim on the PU.
bool gives_way(const Claim& claim, const std::vector<Claim>& claims, std::uint32_t pu) {
  return claim.whole_job && std::any_of(claims.begin(), claims.end(), [&](const Claim& other) {
           return !other.whole_job && other.job == claim.job && other.limits.contains(pu);
         });
}

}  // namespace

bool SavedValue::may_have_written(std::string_view value) const {
  if (value == written) return true;
  const auto khz = parse_khz(value);
  return !lowest.empty() && khz && parse_khz(lowest) <= *khz && *khz <= parse_khz(written);
}

std::string text_of(const Journal& journal) {
  std::string text = fmt::format("{}\nboot {}\n", kHead, journal.boot);
  for (const auto& [saved, value] : journal.controls)
    text +=
        fmt::format("control {} {} {} {}{}{}\n", saved.policy, file_of(saved.control),
                    value.original, value.written, value.lowest.empty() ? "" : " ", value.lowest);
  for (const Claim& claim : journal.claims)
    text += fmt::format(
        "claim {} {} {} {} {} {}{}\n", claim.job, claim.step, claim.whole_job ? "job" : "step",
        claim.owner.pid, claim.owner.started, text_of(claim.limits),
        claim.keeper ? fmt::format(" keeper {} {}", claim.keeper->pid, claim.keeper->started) : "");
  text += fmt::format("{}\n", kEnd);
  return text;
}

Journal parse_journal(std::string_view text, std::string_view file) {
  if (text.size() > kMostJournalBytes)
    throw FormatError(file, "the file", fmt::format("{} bytes", text.size()),
                      fmt::format("at most {} bytes", kMostJournalBytes));
  Journal journal;
  FieldReader lines(text, file);
  lines.next_line();
  if (lines.line() != kHead) lines.refuse(kHead);
  lines.next_line("boot");
  if (!is_boot_id(lines.rest())) lines.refuse("boot and the kernel's boot_id");
  journal.boot = lines.rest();
  for (lines.next_line(); lines.line() != kEnd; lines.next_line()) read_entry(lines, journal);
  lines.field();
  lines.end();
  return journal;
}

Journal readable_part_of(std::string_view text, const std::string& boot) {
  constexpr std::string_view kBoot = "boot ";
  Journal journal;
  journal.boot = boot;
  text = text.substr(0, kMostJournalBytes);
  // A number behind the last end of a line may be cut off half, so that part is not read.
  for (FieldReader lines(text, {}); lines.remaining().find('\n') != std::string_view::npos;) {
    lines.next_line();
    const std::string_view content = lines.line();
    if (content.starts_with(kBoot) && is_boot_id(content.substr(kBoot.size())))
      journal.boot = content.substr(kBoot.size());
    Journal with_entry = {};
    try {
      read_entry(lines, with_entry);
    } catch (const Error&) {
      continue;
    }
    journal.controls.merge(with_entry.controls);
    for (Claim& claim : with_entry.claims) journal.claims.push_back(std::move(claim));
  }
  return journal;
}

std::optional<ClockLimits> wanted_limits(const std::vector<Claim>& claims, const PuSet& pus) {
  std::optional<ClockLimits> highest;
  for (const std::uint32_t pu : pus.members())
    for (const Claim& claim : claims) {
      const auto limits = claim.limits.find(pu);
      if (limits != claim.limits.end() && !gives_way(claim, claims, pu))
        raise(highest, limits->second);
    }
  return highest;
}

bool is_moved(const std::vector<Claim>& claims, const PuSet& pus) {
  const auto& members = pus.members();
  return std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
    return claim.keeper && std::any_of(members.begin(), members.end(), [&](std::uint32_t pu) {
             return claim.limits.contains(pu) && !gives_way(claim, claims, pu);
           });
  });
}

bool any_claimed(const Claim& claim, const PuSet& pus) {
  const auto& members = pus.members();
  return std::any_of(members.begin(), members.end(),
                     [&](std::uint32_t pu) { return claim.limits.contains(pu); });
}

std::vector<MovedClock> moved_for(const Claim& claim, const std::vector<Claim>& others,
                                  std::vector<MovedClock> clocks) {
  std::erase_if(clocks, [&](const MovedClock& clock) {
    return !any_claimed(claim, clock.pus) ||
           std::any_of(others.begin(), others.end(), [&](const Claim& other) {
             const bool yields = other.whole_job && !claim.whole_job && other.job == claim.job;
             return !yields && any_claimed(other, clock.pus);
           });
  });
  for (MovedClock& clock : clocks) {
    PuSet own;
    for (const std::uint32_t pu : clock.pus.members())
      if (claim.limits.contains(pu)) own.add(pu);
    clock.pus = own;
  }
  return clocks;
}

std::vector<std::string> differences(const PusByPolicy& policies,
                                     const std::map<std::uint32_t, ClockLimits>& limits,
                                     const Claim& asked) {
  std::map<std::pair<ClockLimits, ClockLimits>, PuSet> differing;
  for (const auto& [number, of_policy] : limits)
    for (const std::uint32_t pu : policies.at(number).members()) {
      const auto wish = asked.limits.find(pu);
      if (wish == asked.limits.end()) continue;
      ClockLimits wished = wish->second;
      if (asked.keeper) wished.least_khz = of_policy.least_khz;
      if (wished != of_policy) differing[{wished, of_policy}].add(pu);
    }
  std::vector<std::string> lines;
  for (const auto& [pair, pus] : differing)
    lines.push_back(fmt::format("PUs {} run at {}, {} was asked for", pus.list(),
                                text_for_people(pair.second), text_for_people(pair.first)));
  return lines;
}

}  // namespace huddle::frequency
