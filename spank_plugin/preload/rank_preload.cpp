#include "spank_plugin/preload/rank_preload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <string_view>

#include "profiles/executables/preload_refusal.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"

namespace huddle::preload {

namespace {

constexpr const char* kEnv = "/usr/bin/env";
constexpr const char* kSanitizerFirst =
    "LD_PRELOAD has a sanitizer's runtime, which must stay the first library";

std::string preload_with_ours(const std::string& preloaded, const std::string& recorder) {
  const std::string handover = handover_beside(recorder);
  const std::string value = preload_with_recorders(preloaded, recorder);
  return ::access(handover.c_str(), R_OK) == 0 ? preload_with(value, handover) : value;
}

// Also if the words belong to the program: it is then not measured, which harms nobody. What is
// behind a program that starts a container is for the container's program.
bool sets_preload(const std::vector<std::string>& command) {
  const auto end = std::find_if(command.begin(), command.end(), executables::starts_container);
  return std::any_of(command.begin(), end, [](const std::string& word) {
    return word.find("LD_PRELOAD=") != std::string::npos;
  });
}

// `setting` is a word of env(1) that sets LD_PRELOAD to `value`, behind what is there if it says
// so. Open MPI splits the parameter at blanks and knows no quotes. To daemons that it starts by ssh
// it passes the parameter through a shell, between double quotes.
ForkAgent agent_with(std::string_view setting, std::string value) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-:";
  std::replace(value.begin(), value.end(), ' ', ':');
  if (value.find_first_not_of(kPlain) != std::string::npos)
    return {{}, fmt::format("mpirun can't pass on a path with special characters: {}", value)};
  return {fmt::format("{0} {1}{2} {3}=1 {0} -u {3}", kEnv, setting, value, kRankStartVariable), {}};
}

// A phrase about a library that is missing, or nothing.
std::string missing_library(const std::string& recorder) {
  for (const std::string& library : {recorder, handover_beside(recorder)})
    if (::access(library.c_str(), R_OK) != 0) return fmt::format("{} is not on this node", library);
  return {};
}

// True if env(1) takes a word apart in which a variable is named (-S).
bool env_reads_variables() {
  constexpr std::uint64_t kLargest = std::uint64_t{64} << 20U;
  try {
    return files::read_file(kEnv, kLargest).find("split-string") != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

RankPreload rank_preload(const std::vector<std::string>& command, const std::string& path,
                         const std::string& preloaded, const std::string& recorder) {
  if (::access(recorder.c_str(), R_OK) != 0)
    return {{}, fmt::format("the recorder {} can't be read", recorder)};
  std::array<char, PATH_MAX> program{};
  if (!executables::find_program(command.front(), path, program))
    return {{}, fmt::format("{} is not found", command.front())};
  const executables::PreloadRefusal refusal =
      executables::refusal_of(program.data(), recorder.c_str());
  if (refusal == executables::PreloadRefusal::kContainer &&
      std::any_of(command.begin(), command.end(), executables::asks_for_recorder))
    return {};
  if (refusal != executables::PreloadRefusal::kNone)
    return {{}, fmt::format("{} {}", command.front(), reason_of(refusal))};
  if (executables::holds_sanitizer_runtime(preloaded)) return {{}, kSanitizerFirst};
  return {preload_with_ours(preloaded, recorder), {}};
}

ForkAgent fork_agent(const std::vector<std::string>& command, const std::string& preloaded,
                     const std::string& recorder) {
  if (const std::string missing = missing_library(recorder); !missing.empty()) return {{}, missing};
  if (executables::holds_sanitizer_runtime(preloaded)) return {{}, kSanitizerFirst};
  if (sets_preload(command)) return {{}, "mpirun sets another LD_PRELOAD for its ranks"};
  return agent_with("LD_PRELOAD=", preload_with_ours(preloaded, recorder));
}

ForkAgent exec_agent(const std::string& recorder) {
  if (const std::string missing = missing_library(recorder); !missing.empty()) return {{}, missing};
  if (!env_reads_variables())
    return {{}, fmt::format("{} knows no -S; coreutils 8.30 and later do", kEnv)};
  return agent_with("-SLD_PRELOAD=${LD_PRELOAD}:", preload_with_ours({}, recorder));
}

// Open MPI stops at the first folder that is missing, and its user's usually is.
std::string component_path_with(const std::string& paths, const std::string& folder) {
  if (paths.empty()) return fmt::format("SYS_DEFAULT:{}:USR_DEFAULT", folder);
  const std::string listed = ":" + paths + ":";
  return listed.find(":" + folder + ":") != std::string::npos ? paths : paths + ":" + folder;
}

}  // namespace huddle::preload
