#include "aggregator/planning/detail/job_state.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <vector>

#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kUnknown = "UNKNOWN";

ChildResult run(std::vector<std::string> words) {
  words.insert(words.begin(), "/usr/bin/env");
  return run_child(words, std::chrono::milliseconds(500));
}

std::string word_at(std::string_view text, std::size_t begin) {
  return std::string(text.substr(begin, text.find_first_of(" \n|+", begin) - begin));
}

std::string accounted_state(std::uint64_t job) {
  const ChildResult result = run({"sacct", "--noheader", "--parsable2", "--allocations",
                                  "--format=State", fmt::format("--jobs={}", job)});
  if (result.timed_out) return {};
  // Sites without accounting have no more to say.
  if (result.status != 0 || result.output.empty()) return std::string(kUnknown);
  return word_at(result.output, 0);
}

}  // namespace

std::string ask_for_job_state(std::uint64_t job) {
  try {
    const ChildResult result = run({"scontrol", "--oneliner", "show", "job", std::to_string(job)});
    if (result.timed_out) return {};
    constexpr std::string_view kState = "JobState=";
    if (const std::size_t at = result.output.find(kState); at != std::string::npos)
      return word_at(result.output, at + kState.size());
    if (result.errors.find("Invalid job id") == std::string::npos) return {};
    return accounted_state(job);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace huddle
