#include "spank_plugin/plugin/client/submitted_script.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "profiles/vocabulary/field_reader.hpp"

#include "profiles/files/owned_descriptor.hpp"
#include "spank_plugin/plugin/client/command_line.hpp"
#include "spank_plugin/plugin/client/private_symbols.hpp"
#include "spank_plugin/plugin/client/slurm_program.hpp"
#include "spank_plugin/submission/asked/batch_script.hpp"

namespace huddle::plugin {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): sbatch reads its options in one thread

using Clock = std::chrono::steady_clock;

std::optional<std::string> piped_script;

bool is_sbatch() {
  return find_symbol("sbopt") != nullptr;
}

bool is_wrapped(const CommandLine& words) {
  return words.options.contains("wrap");
}

std::string read_descriptor(int descriptor) {
  std::string text(submission::kMostScriptBytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(descriptor, text.data() + size, text.size() - size);
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

// True if nobody holds the writing end of the pipe any more: what is in it is all there will be.
bool wait_for_end(int pipe) {
  const Clock::time_point latest = Clock::now() + std::chrono::seconds(2);
  while (Clock::now() < latest) {
    pollfd entry{pipe, 0, 0};  // POLLHUP comes unasked
    if (::poll(&entry, 1, 20) > 0 && (entry.revents & POLLHUP) != 0) return true;
  }
  return false;
}

// tee() copies what is in a pipe without taking it out.
std::optional<std::string> copy_of_pipe(int pipe) {
  std::array<int, 2> copy{};
  if (::pipe2(copy.data(), O_CLOEXEC | O_NONBLOCK) != 0) return std::nullopt;
  const int capacity = ::fcntl(pipe, F_GETPIPE_SZ);
  const bool fits = capacity > 0 && ::fcntl(copy[1], F_SETPIPE_SZ, capacity) >= capacity;
  const bool copied = fits && ::tee(pipe, copy[1], INT_MAX, SPLICE_F_NONBLOCK) >= 0;
  ::close(copy[1]);
  std::optional<std::string> text;
  if (copied) text = read_descriptor(copy[0]);
  ::close(copy[0]);
  return text;
}

std::optional<std::string> script_in(const std::string& path) {
  struct stat status {};
  const files::OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  return read_descriptor(file.number());
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

// As sbatch does it: a name without a folder is looked for in the job's folder, then in PATH.
std::string find_script(const std::string& name, const submission::SlurmClient& slurm) {
  if (name.starts_with('.') || name.starts_with('/')) return name;
  std::string folder = slurm.get("chdir");
  if (folder.empty()) folder = ".";
  if (const std::string here = folder + '/' + name; exists(here)) return here;
  const std::string path = slurm.variable("PATH").value_or("");
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view entry = take_until(rest, ':');
    const std::string prefix = entry.starts_with('.') ? folder + '/' : "";
    if (const std::string there = fmt::format("{}{}/{}", prefix, entry, name);
        !entry.empty() && exists(there))
      return there;
  }
  return name;
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace

void look_at_piped_script() noexcept {
  try {
    struct stat status {};
    if (!is_sbatch() || ::fstat(STDIN_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
    const auto words = read_command_line(SlurmProgram().command_line());
    if (!words || is_wrapped(*words) || !words->program.empty()) return;
    if (wait_for_end(STDIN_FILENO)) piped_script = copy_of_pipe(STDIN_FILENO);
  } catch (...) {  // the script stays unknown
  }
}

std::optional<std::string> submitted_script(const submission::SlurmClient& slurm) {
  if (!is_sbatch()) return "";
  const auto words = read_command_line(slurm.command_line());
  if (!words) return std::nullopt;
  if (is_wrapped(*words)) return slurm.get("wrap");
  if (!words->program.empty()) return script_in(find_script(words->program[0], slurm));
  if (piped_script) return piped_script;
  return script_in("/proc/self/fd/0");  // opened anew: its position is sbatch's own
}

}  // namespace huddle::plugin
