#include "profiles/recorder/process/this_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <utility>

#include "profiles/recorder/process/loaded_modules.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::recorder {

namespace {

// Files of /proc have no size of their own: they are read to their end. Empty if unreadable.
std::string read_proc(const char* path) {
  std::string content;
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return content;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(file, piece.data(), piece.size())) > 0;)
    content.append(piece.data(), static_cast<std::size_t>(got));
  ::close(file);
  return content;
}

// The words of a text in which each ends with a zero byte.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// 0 if unknown.
int parent_of(int process) {
  static constexpr std::string_view kField = "\nPPid:\t";
  const std::string status = read_proc(fmt::format("/proc/{}/status", process).c_str());
  const std::size_t at = status.find(kField);
  int parent = 0;
  if (at != std::string::npos)
    std::from_chars(status.data() + at + kField.size(), status.data() + status.size(), parent);
  return parent;
}

int find_build_id(dl_phdr_info* object, std::size_t /*size*/, void* found) {
  *static_cast<std::string*>(found) = build_id_of(*object);
  return 1;  // the first object is the program itself; no other is of interest
}

}  // namespace

Program this_program() {
  Program program;
  std::error_code unknown;
  program.executable = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  dl_iterate_phdr(find_build_id, &program.build_id);
  program.arguments = words_of(read_proc("/proc/self/cmdline"));
  if (!program.arguments.empty()) program.arguments.erase(program.arguments.begin());
  return program;
}

std::string option_of_ancestor(std::string_view option) {
  static constexpr int kGenerations = 8;
  int process = ::getppid();
  for (int i = 0; i < kGenerations && process > 1; ++i, process = parent_of(process)) {
    const auto words = words_of(read_proc(fmt::format("/proc/{}/cmdline", process).c_str()));
    const auto place = std::find(words.begin(), words.end(), option);
    if (place != words.end() && place + 1 != words.end()) return *(place + 1);
  }
  return {};
}

std::string node_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

Seconds process_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return {static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9};
}

Bytes peak_resident() {
  static constexpr std::string_view kField = "VmHWM:";
  const std::string status = read_proc("/proc/self/status");
  std::size_t at = status.find(kField);
  if (at == std::string::npos) return {};
  at = status.find_first_of("0123456789", at);
  if (at == std::string::npos) return {};
  std::uint64_t kibibytes = 0;
  std::from_chars(status.data() + at, status.data() + status.size(), kibibytes);
  return {kibibytes * 1024};
}

namespace {

iovec piece(std::string_view text) {
  return {const_cast<char*>(text.data()), text.size()};  // writev only reads it
}

struct Unsaid {
  std::mutex mutex;
  std::vector<std::string> lines;
};

// Never destroyed: exit handlers may have something to say.
Unsaid& unsaid() {
  static auto& lines = *new Unsaid;
  return lines;
}

void keep_for_record(std::string_view text) noexcept {
  static constexpr std::size_t kMostLines = 16;
  try {
    const std::lock_guard lock(unsaid().mutex);
    if (unsaid().lines.size() < kMostLines) unsaid().lines.emplace_back(text);
  } catch (...) {
  }
}

}  // namespace

std::vector<std::string> take_unsaid() {
  const std::lock_guard lock(unsaid().mutex);
  return std::exchange(unsaid().lines, {});
}

void say(std::string_view text) noexcept {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read once
  static const char* const told = ::getenv(kStepVariable);
  if (told != nullptr && raw_step_word(told, kPackedRunWord) == "1") return;  // nobody asked for it
  if (told != nullptr && raw_step_word(told, kMessagesWord) == "0") return keep_for_record(text);
  const std::array<iovec, 3> line = {piece("huddle: "), piece(text), piece("\n")};
  [[maybe_unused]] const ssize_t written =
      ::writev(STDERR_FILENO, line.data(), static_cast<int>(line.size()));
}

}  // namespace huddle::recorder
