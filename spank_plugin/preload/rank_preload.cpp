#include "spank_plugin/preload/rank_preload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>

#include "profiles/executables/preload_refusal.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"

namespace huddle::preload {

namespace {

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

// Open MPI splits the parameter at blanks and knows no quotes. To daemons that it starts by ssh it
// passes the parameter through a shell, between double quotes.
ForkAgent fork_agent(const std::vector<std::string>& command, const std::string& preloaded,
                     const std::string& recorder) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-:";
  for (const std::string& library : {recorder, handover_beside(recorder)})
    if (::access(library.c_str(), R_OK) != 0)
      return {{}, fmt::format("{} is not on this node", library)};
  if (executables::holds_sanitizer_runtime(preloaded)) return {{}, kSanitizerFirst};
  if (sets_preload(command)) return {{}, "mpirun sets another LD_PRELOAD for its ranks"};
  std::string value = preload_with_ours(preloaded, recorder);
  std::replace(value.begin(), value.end(), ' ', ':');
  if (value.find_first_not_of(kPlain) != std::string::npos)
    return {{}, fmt::format("mpirun can't pass on a path with special characters: {}", value)};
  return {fmt::format("/usr/bin/env {0}=1 LD_PRELOAD={1} /usr/bin/env -u {0}", kRankStartVariable,
                      value),
          {}};
}

// Open MPI stops at the first folder that is missing, and its user's usually is.
std::string component_path_with(const std::string& paths, const std::string& folder) {
  if (paths.empty()) return fmt::format("SYS_DEFAULT:{}:USR_DEFAULT", folder);
  const std::string listed = ":" + paths + ":";
  return listed.find(":" + folder + ":") != std::string::npos ? paths : paths + ":" + folder;
}

}  // namespace huddle::preload
