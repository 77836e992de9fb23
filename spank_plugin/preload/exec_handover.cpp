// Preloaded into ranks beside the recorders. A rank may be a wrapper, a shell script for instance,
// that starts tools and at last the MPI program: what it starts inherits its LD_PRELOAD. These
// functions take the place of the C library's that start programs; where the program must not get
// our libraries (preload_refusal.hpp), they take them out of its LD_PRELOAD. In a proxy of MPICH's
// mpiexec, which gives ranks the environment of mpiexec, they put them in.
//
// They are called between fork(), or vfork(), and exec(): nothing is allocated, and nothing is
// changed but the stack.

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "profiles/executables/preload_refusal.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/preload/chooser_start.hpp"
#include "spank_plugin/preload/own_libraries.hpp"
#include "spank_plugin/runtime/wait_policy/wait_policy.hpp"

extern "C" char** environ;

namespace huddle::preload {
namespace {

// The functions of these names in the C library, or in a library that was preloaded after this one.
struct Next {
  decltype(&::execve) execve;
  decltype(&::execvpe) execvpe;
  decltype(&::fexecve) fexecve;
  decltype(&::posix_spawn) posix_spawn;
  decltype(&::posix_spawnp) posix_spawnp;
};
constinit Next next{};
constinit bool hands_to_ranks = false;
constinit bool says_why_not = false;

template <class Function>
void find_next(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_mpich_proxy() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size <= 0) return false;
  const char* const slash = std::strrchr(path.data(), '/');
  return slash != nullptr && (std::strcmp(slash, "/hydra_pmi_proxy") == 0 ||
                              std::strcmp(slash, "/hydra_bstrap_proxy") == 0);
}

// True if this process is about to become rank 0 of a run that was to be measured.
bool reports_for_all() {
  if (std::getenv(kRankStartVariable) == nullptr) return false;
  const char* const told = std::getenv(kStepVariable);
  if (told != nullptr && raw_step_word(told, kPackedRunWord)) return false;  // nobody asked for it
  if (told != nullptr && raw_step_word(told, kMessagesWord) == "0") return false;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name)) return std::strcmp(rank, "0") == 0;
  return false;
}

// Writes "`begin``program` REASON" and a line's end.
void write_refusal(int file, const char* begin, const char* program,
                   executables::PreloadRefusal refusal) {
  const std::string_view reason = reason_of(refusal);
  std::array<char, PATH_MAX + 128> line{};
  const std::size_t size = std::strlen(program);
  if (size > PATH_MAX) return;
  char* end = ::stpcpy(::stpcpy(line.data(), begin), program);
  *end++ = ' ';
  std::memcpy(end, reason.data(), reason.size());
  end += reason.size();
  *end++ = '\n';
  static_cast<void>(!::write(file, line.data(), static_cast<std::size_t>(end - line.data())));
}

// In the file that `huddle record` has made beside its profile, as long as that is short: a wrapper
// may start programs for ever.
void note_refusal(const char* profile, const char* program, executables::PreloadRefusal refusal) {
  constexpr off_t kMostBytes = 65536;
  std::array<char, PATH_MAX> path{};
  if (std::strlen(profile) + executables::kRefusedPrograms.size() >= path.size()) return;
  ::stpcpy(::stpcpy(path.data(), profile), executables::kRefusedPrograms.data());
  const int file = ::open(path.data(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat facts {};
  if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size < kMostBytes)
    write_refusal(file, "", program, refusal);
  ::close(file);
}

[[gnu::constructor]] void find_all() {
  find_next(next.execve, "execve");
  find_next(next.execvpe, "execvpe");
  find_next(next.fexecve, "fexecve");
  find_next(next.posix_spawn, "posix_spawn");
  find_next(next.posix_spawnp, "posix_spawnp");
  hands_to_ranks = is_mpich_proxy();
  says_why_not = reports_for_all();
}

// Another library's constructor may start a program before ours ran.
const Next& real() {
  if (next.execve == nullptr) find_all();
  return next;
}

using Environment = char* const*;

const char* value_in(Environment environment, const char* name) {
  const std::size_t size = std::strlen(name);
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (std::strncmp(*environment, name, size) == 0 && (*environment)[size] == '=')
      return *environment + size + 1;
  return nullptr;
}

std::size_t count_of(Environment environment) {
  std::size_t count = 0;
  while (environment != nullptr && environment[count] != nullptr) ++count;
  return count;
}

constexpr const char* kPreload = "LD_PRELOAD";

// Bytes for any LD_PRELOAD that hand_over() may write.
std::size_t preload_room(Environment environment) {
  const char* const preloaded = value_in(environment, kPreload);
  return (preloaded == nullptr ? 0 : std::strlen(preloaded)) + OwnLibraries::kRoom;
}

/// The change of the variables by which threads wait, in the environment that a program gets.
struct WaitChange {
  runtime::WaitPolicy added;
  bool removed = false;  // what we set for another program
  [[nodiscard]] bool any() const { return added.spins != nullptr || removed; }
};

WaitChange wait_change(Environment environment, const runtime::RankThreads& threads,
                       bool recorded) {
  WaitChange change;
  // mpirun itself and what it starts besides ranks have no number of ranks in their environment.
  if (recorded && threads.ranks_here > 0) change.added = runtime::wait_policy_for(threads);
  const char* const spins = value_in(environment, runtime::kSpinVariable);
  const char* const block = value_in(environment, runtime::kBlockTimeVariable);
  change.removed = !recorded && threads.wanted && spins != nullptr && block != nullptr &&
                   runtime::is_from_huddle(spins, block);
  return change;
}

constexpr std::size_t kRoomForWait = 64;

// Writes "NAME=VALUE"; returns what is behind its end.
char* write_variable(char* text, const char* name, const char* value) {
  return ::stpcpy(::stpcpy(::stpcpy(text, name), "="), value) + 1;
}

bool is_variable(const char* entry, const char* name) {
  const std::size_t size = std::strlen(name);
  return std::strncmp(entry, name, size) == 0 && entry[size] == '=';
}

// `words` are those of a program that starts a container, and ask for the recorder in it.
bool asks_in_container(executables::PreloadRefusal refusal, char* const* words) {
  if (refusal != executables::PreloadRefusal::kContainer) return false;
  for (; words != nullptr && *words != nullptr; ++words)
    if (executables::asks_for_recorder(*words)) return true;
  return false;
}

/// The environment of a program that is started.
struct Handed {
  Environment environment;
  int connection = -1;  // to its chooser
};

// Makes what `program`, started with `words`, is to get instead of `environment`, which may be that
// itself. `becomes`: whether this process is to become it. `variables`: room for five pointers
// more; `text`: preload_room() bytes, 2 kRoomForWait and kRoomForChooser.
Handed hand_over(const char* program, char* const* words, Environment environment, bool becomes,
                 char** variables, char* text) {
  const char* preloaded = value_in(environment, kPreload);
  if (preloaded == nullptr) preloaded = "";
  std::array<char, PATH_MAX> behind{};
  const char* recorder = value_in(environment, kRecorderVariable);
  if (recorder == nullptr) recorder = OwnLibraries::recorder_in(preloaded, behind);
  if (recorder == nullptr || !OwnLibraries::fits(recorder)) return {environment};
  const OwnLibraries libraries(recorder);
  const bool there = libraries.are_in(preloaded);
  if (!there && !hands_to_ranks) return {environment};  // the user took them out
  const executables::PreloadRefusal refusal = executables::refusal_of(program, recorder);
  if (refusal != executables::PreloadRefusal::kNone && !asks_in_container(refusal, words)) {
    if (says_why_not) write_refusal(STDERR_FILENO, "huddle: not measured: ", program, refusal);
    if (const char* const profile = value_in(environment, kProfileVariable); profile != nullptr)
      note_refusal(profile, program, refusal);
  }
  const bool may = refusal == executables::PreloadRefusal::kNone &&
                   !executables::holds_sanitizer_runtime(preloaded);
  const auto variable = [&](const char* name) { return value_in(environment, name); };
  const runtime::RankThreads threads = runtime::rank_threads(variable);
  const WaitChange wait = wait_change(environment, threads, may);
  const bool settles = may && becomes && threads.ranks_here > 0 && has_choice_to_settle(variable);
  if (may == there && !wait.any() && !settles) return {environment};
  StartedChooser chooser;
  if (settles && wants_chooser(variable, threads))
    chooser = start_chooser(recorder, variable(kChooseVariable));
  char** end = variables;
  for (; *environment != nullptr; ++environment) {
    const bool ours = wait.removed && (is_variable(*environment, runtime::kSpinVariable) ||
                                       is_variable(*environment, runtime::kBlockTimeVariable));
    if (!ours && !is_variable(*environment, kPreload)) *end++ = *environment;
  }
  if (wait.added.spins != nullptr) {
    *end++ = text;
    text = write_variable(text, runtime::kSpinVariable, wait.added.spins);
    *end++ = text;
    text = write_variable(text, runtime::kBlockTimeVariable, wait.added.block_milliseconds);
  }
  if (settles) {
    std::array<char, kRoomForChooser> connection{};
    write_connection(chooser, connection);
    *end++ = text;
    text = write_variable(text, kChooserVariable, connection.data());
  }
  if (libraries.write_preload(text, preloaded, may)) *end++ = text;
  *end = nullptr;
  return {variables, chooser.connection};
}

// The program could not be started: what was to choose for it ends.
int not_started(const Handed& handed) {
  const int why = errno;
  if (handed.connection >= 0) ::close(handed.connection);
  errno = why;
  return -1;
}

// The file that execvp() runs; `command` itself if there is none, which exec() will say.
const char* found_program(const char* command, std::array<char, PATH_MAX>& path) {
  const char* const folders = value_in(environ, "PATH");
  return executables::find_program(command, folders == nullptr ? "/bin:/usr/bin" : folders, path)
             ? path.data()
             : command;
}

}  // namespace
}  // namespace huddle::preload

// Declares `handed`, on the stack of the calling function: so it has to be a macro.
#define HUDDLE_HAND_OVER(program, words, environment, becomes)                             \
  const huddle::preload::Handed handed = huddle::preload::hand_over(                       \
      program, words, environment, becomes,                                                \
      static_cast<char**>(                                                                 \
          __builtin_alloca((huddle::preload::count_of(environment) + 5) * sizeof(char*))), \
      static_cast<char*>(__builtin_alloca(                                                 \
          huddle::preload::preload_room(environment) + 2 * huddle::preload::kRoomForWait + \
          sizeof("HUDDLE_CHOOSER=") + huddle::preload::kRoomForChooser)))

// Declares `words`: the arguments from `first` on; `rest` is left behind the null pointer that ends
// them.
#define HUDDLE_COLLECT(first)                                                              \
  std::size_t count = 1;                                                                   \
  va_list rest;                                                                            \
  va_start(rest, first);                                                                   \
  while (va_arg(rest, char*) != nullptr) ++count;                                          \
  va_end(rest);                                                                            \
  auto** const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  words[0] = const_cast<char*>(first);                                                     \
  va_start(rest, first);                                                                   \
  for (std::size_t i = 1; i <= count; ++i) words[i] = va_arg(rest, char*)

#pragma GCC visibility push(default)
extern "C" {

int execve(const char* path, char* const words[], char* const environment[]) noexcept {
  HUDDLE_HAND_OVER(path, words, environment, true);
  huddle::preload::real().execve(path, words, handed.environment);
  return huddle::preload::not_started(handed);
}

int execvpe(const char* command, char* const words[], char* const environment[]) noexcept {
  std::array<char, PATH_MAX> path{};
  HUDDLE_HAND_OVER(huddle::preload::found_program(command, path), words, environment, true);
  huddle::preload::real().execvpe(command, words, handed.environment);
  return huddle::preload::not_started(handed);
}

int fexecve(int file, char* const words[], char* const environment[]) noexcept {
  std::array<char, 64> path{};
  char digits[16];
  char* digit = digits + sizeof digits;
  *--digit = '\0';
  unsigned number = file < 0 ? 0 : static_cast<unsigned>(file);
  do *--digit = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  ::stpcpy(::stpcpy(path.data(), "/proc/self/fd/"), digit);
  HUDDLE_HAND_OVER(path.data(), words, environment, true);
  huddle::preload::real().fexecve(file, words, handed.environment);
  return huddle::preload::not_started(handed);
}

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const words[],
                char* const environment[]) {
  HUDDLE_HAND_OVER(path, words, environment, false);
  return huddle::preload::real().posix_spawn(process, path, actions, attributes, words,
                                             handed.environment);
}

int posix_spawnp(pid_t* process, const char* command, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const words[],
                 char* const environment[]) {
  std::array<char, PATH_MAX> path{};
  HUDDLE_HAND_OVER(huddle::preload::found_program(command, path), words, environment, false);
  return huddle::preload::real().posix_spawnp(process, command, actions, attributes, words,
                                              handed.environment);
}

int execv(const char* path, char* const words[]) noexcept {
  return execve(path, words, environ);
}

int execvp(const char* command, char* const words[]) noexcept {
  return execvpe(command, words, environ);
}

int execl(const char* path, const char* first, ...) noexcept {
  HUDDLE_COLLECT(first);
  va_end(rest);
  return execve(path, words, environ);
}

int execlp(const char* command, const char* first, ...) noexcept {
  HUDDLE_COLLECT(first);
  va_end(rest);
  return execvpe(command, words, environ);
}

int execle(const char* path, const char* first, ...) noexcept {
  HUDDLE_COLLECT(first);
  char* const* const environment = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, words, environment);
}

}  // extern "C"
#pragma GCC visibility pop
