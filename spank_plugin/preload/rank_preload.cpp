#include "spank_plugin/preload/rank_preload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>

#include "profiles/executables/preload_refusal.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"

namespace huddle {

RankPreload rank_preload(const std::string& command, const std::string& path,
                         const std::string& preloaded, const std::string& recorder) {
  if (::access(recorder.c_str(), R_OK) != 0)
    return {{}, fmt::format("the recorder {} can't be read", recorder)};
  std::array<char, PATH_MAX> program{};
  if (!find_program(command, path, program)) return {{}, fmt::format("{} is not found", command)};
  const PreloadRefusal refusal = refusal_of(program.data(), recorder.c_str());
  if (refusal != PreloadRefusal::kNone)
    return {{}, fmt::format("{} {}", command, reason_of(refusal))};
  if (holds_sanitizer_runtime(preloaded))
    return {{}, "LD_PRELOAD has a sanitizer's runtime, which must stay the first library"};
  const std::string handover = handover_beside(recorder);
  const std::string value = preload_with_recorders(preloaded, recorder);
  return {::access(handover.c_str(), R_OK) == 0 ? preload_with(value, handover) : value, {}};
}

// Open MPI splits the parameter at blanks and knows no quotes; the shell makes blanks of ${IFS}.
std::string fork_agent(const std::string& starter) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";
  if (starter.empty() || starter.find_first_not_of(kPlain) != std::string::npos) return {};
  return fmt::format(
      "/bin/sh -c test${{IFS}}-x${{IFS}}{0}&&exec${{IFS}}{0}${{IFS}}\"$@\";exec${{IFS}}\"$@\" sh",
      starter);
}

// Open MPI stops at the first folder that is missing, and its user's usually is.
std::string component_path_with(const std::string& paths, const std::string& folder) {
  if (paths.empty()) return fmt::format("SYS_DEFAULT:{}:USR_DEFAULT", folder);
  const std::string listed = ":" + paths + ":";
  return listed.find(":" + folder + ":") != std::string::npos ? paths : paths + ":" + folder;
}

}  // namespace huddle
