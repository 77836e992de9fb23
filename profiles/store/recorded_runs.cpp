#include "profiles/store/recorded_runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::store {
namespace {

constexpr std::string_view kEnding = ".runs";
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;  // a script may start programs for ever

std::string content_of(const files::OpenFile& file) {
  std::string text;
  for (std::string block = file.read(kMostBytes); !block.empty() && text.size() < kMostBytes;
       block = file.read(kMostBytes))
    text += block;
  return text;
}

}  // namespace

std::filesystem::path file_of_run(const std::filesystem::path& first, std::uint32_t number) {
  if (number <= 1) return first;
  return first.parent_path() /
         fmt::format("{}-{}{}", first.stem().string(), number, first.extension().string());
}

RunList::RunList(const std::filesystem::path& profile) : file_(std::filesystem::absolute(profile)) {
  file_ += kEnding;
}

void RunList::make() const {
  const files::OpenFile file(
      ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600),
      file_.string());
  if (file.descriptor() < 0) throw SystemError("create", file_.string(), errno);
}

void RunList::remove() const noexcept {
  ::unlink(file_.c_str());
}

std::uint32_t RunList::add(const RecordedRun& run) const noexcept {
  try {
    const files::OpenFile file(
        ::open(file_.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
        file_.string());
    if (file.descriptor() < 0) return 1;
    ::flock(file.descriptor(), LOCK_EX);
    const std::string text = content_of(file);
    if (text.size() >= kMostBytes) return 1;
    file.write(fmt::format("{} {}\n", run.ranks, run.program));
    return static_cast<std::uint32_t>(std::ranges::count(text, '\n')) + 1;
  } catch (...) {
    return 1;
  }
}

std::vector<RecordedRun> RunList::runs() const {
  const files::OpenFile file(::open(file_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
                             file_.string());
  std::vector<RecordedRun> runs;
  if (file.descriptor() < 0) return runs;
  const std::string text = content_of(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    RecordedRun run;
    const char* const last = text.data() + end;
    const auto [behind, failure] = std::from_chars(text.data() + at, last, run.ranks);
    if (failure == std::errc{} && behind != last) run.program.assign(behind + 1, last);
    runs.push_back(std::move(run));
    at = end + 1;
  }
  return runs;
}

}  // namespace huddle::store
