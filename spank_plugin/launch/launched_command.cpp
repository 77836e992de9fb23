#include "spank_plugin/launch/launched_command.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "profiles/executables/build_id.hpp"
#include "profiles/executables/preload_refusal.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle::launch {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 15> kWrappers = {
    "env",     "time",  "nice",   "ionice",  "numactl", "taskset",   "stdbuf", "chrt",
    "setarch", "nohup", "setsid", "timeout", "strace",  "catchsegv", "prlimit"};
// A version may follow: python3.11.
constexpr std::array<std::string_view, 12> kInterpreters = {"python", "perl",   "ruby", "Rscript",
                                                            "julia",  "octave", "lua",  "tclsh",
                                                            "bash",   "sh",     "zsh",  "ksh"};

std::string name_in(const std::string& word) {
  return word.substr(word.rfind('/') + 1);
}

bool is_wrapper(const std::string& word) {
  return std::find(kWrappers.begin(), kWrappers.end(), name_in(word)) != kWrappers.end();
}

bool is_interpreter(const std::string& word) {
  std::string name = name_in(word);
  name.erase(name.find_last_not_of("0123456789.") + 1);
  return std::find(kInterpreters.begin(), kInterpreters.end(), name) != kInterpreters.end();
}

// Empty if there is no such program.
std::string found(const std::string& word, std::string_view path) {
  std::array<char, PATH_MAX> place{};
  return executables::find_program(word, path, place) ? std::string(place.data()) : std::string();
}

// Where the command of a wrapper begins: its first word that is no option, setting or value of one.
Words::const_iterator command_of_wrapper(Words::const_iterator wrapper, Words::const_iterator end,
                                         std::string_view path) {
  return std::find_if(wrapper + 1, end, [&](const std::string& word) {
    return !word.starts_with('-') && word.find('=') == std::string::npos &&
           !found(word, path).empty();
  });
}

// The script or module that an interpreter is to run; the interpreter itself where its words hold
// the program's text, or nothing.
std::string run_by_interpreter(Words::const_iterator interpreter, Words::const_iterator end) {
  for (auto word = interpreter + 1; word != end; ++word) {
    if (*word == "-m" && word + 1 != end) return *(word + 1);
    if (*word == "-c" || *word == "-e") break;
    if (!word->starts_with('-')) return *word;
  }
  return *interpreter;
}

std::string absolute_path(const std::string& program) {
  const std::unique_ptr<char, void (*)(void*)> whole(::realpath(program.c_str(), nullptr), ::free);
  return whole ? std::string(whole.get()) : program;
}

}  // namespace

LaunchedProgram launched_by(const std::vector<std::string>& command, std::string_view path) {
  if (command.empty()) return {};
  auto first = command.begin();
  while (is_wrapper(*first)) {
    const auto next = command_of_wrapper(first, command.end(), path);
    if (next == command.end()) break;
    first = next;
  }
  const std::string program =
      is_interpreter(*first) ? run_by_interpreter(first, command.end()) : *first;
  const std::string place = program == *first ? found(program, path) : std::string();
  LaunchedProgram launched;
  launched.path = absolute_path(place.empty() ? program : place);
  launched.build_id = executables::build_id_of_file(launched.path);
  return launched;
}

LaunchedProgram without_job(LaunchedProgram program, std::string_view job) {
  constexpr std::string_view kAnyJob = "%j";
  constexpr std::string_view kDigits = "0123456789";
  std::string& path = program.path;
  for (std::size_t begin = 0; !job.empty();) {
    begin = path.find_first_of(kDigits, begin);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(path.find_first_not_of(kDigits, begin), path.size());
    const bool is_job = std::string_view(path).substr(begin, end - begin) == job;
    if (is_job) path.replace(begin, end - begin, kAnyJob);
    begin = is_job ? begin + kAnyJob.size() : end;
  }
  return program;
}

// Open MPI 5's mpirun becomes PRRTE's prterun, whose name therefore is in it. Open MPI 4's has its
// daemons within itself, and knows no such name.
bool is_prrte(const std::string& mpirun, std::string_view path) {
  std::array<char, PATH_MAX> found{};
  if (!executables::find_program(mpirun, path, found)) return false;
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20U;
  try {
    const std::string content = files::read_file(found.data(), kLargest);
    return content.starts_with(kElf) && content.find("prterun") != std::string::npos;
  } catch (const Error&) {  // unreadable, or no regular file
    return false;
  }
}

bool is_prrte_in_time(const std::string& mpirun, const std::string& path) {
  try {
    const auto answer = [&] { return std::string(is_prrte(mpirun, path) ? "yes" : ""); };
    return !text_with_files(mpirun, answer).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace huddle::launch
