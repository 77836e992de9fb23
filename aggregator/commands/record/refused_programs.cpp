#include "aggregator/commands/record/refused_programs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "profiles/executables/preload_refusal.hpp"

namespace huddle::cli {
namespace {

std::optional<executables::PreloadRefusal> refusal_of_word(const std::string& word,
                                                           const std::string& recorder) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::array<char, PATH_MAX> program{};
  if (!executables::find_program(word, path == nullptr ? "/bin:/usr/bin" : path, program) ||
      ::access(program.data(), X_OK) != 0)
    return {};
  return executables::refusal_of(program.data(), recorder.c_str());
}

// The loader would print complaints, or the program end.
bool harms(executables::PreloadRefusal refusal) {
  return refusal == executables::PreloadRefusal::kSanitizer ||
         refusal == executables::PreloadRefusal::kOtherLoader ||
         refusal == executables::PreloadRefusal::kOtherMachine;
}

std::string text_of_refusal(const std::string& word, executables::PreloadRefusal refusal) {
  return fmt::format("{} {}", word, reason_of(refusal));
}

}  // namespace

std::string why_not_recorded(const std::vector<std::string>& command, const std::string& preloaded,
                             const std::string& recorder) {
  if (executables::holds_sanitizer_runtime(preloaded))
    return "LD_PRELOAD has a sanitizer's runtime, which must stay the first library";
  for (std::size_t i = 0; i < command.size(); ++i) {
    const auto refusal = refusal_of_word(command[i], recorder);
    if (!refusal || *refusal == executables::PreloadRefusal::kNone) continue;
    if (i == 0 || harms(*refusal)) return text_of_refusal(command[i], *refusal);
  }
  return {};
}

std::string container_with_recorder(const std::vector<std::string>& command) {
  const auto starter = std::find_if(command.begin(), command.end(), executables::starts_container);
  return starter != command.end() &&
                 std::any_of(starter, command.end(), executables::asks_for_recorder)
             ? *starter
             : "";
}

std::string program_without_recorder(const std::vector<std::string>& command,
                                     const std::string& recorder) {
  for (const std::string& word : command)
    if (const auto refusal = refusal_of_word(word, recorder);
        refusal && *refusal != executables::PreloadRefusal::kNone &&
        *refusal != executables::PreloadRefusal::kUnreadable)
      return text_of_refusal(word, *refusal);
  return {};
}

RefusedPrograms::RefusedPrograms(const std::filesystem::path& profile) {
  std::filesystem::path file = std::filesystem::absolute(profile);
  file += executables::kRefusedPrograms;
  const int made =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made < 0) return;
  ::close(made);
  file_ = file;
}

RefusedPrograms::~RefusedPrograms() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

std::string RefusedPrograms::last() const {
  std::string last;
  if (file_.empty()) return last;
  std::ifstream lines(file_);
  for (std::string line; std::getline(lines, line);) last = line;
  return last;
}

}  // namespace huddle::cli
