#include "profiles/recorder/trace/raw_trace_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRawMark = ".raw-";
constexpr std::string_view kDefinitions = ".definitions";
constexpr std::string_view kEvents = ".events";
// The most bytes of one rank's definitions, which name things and grow with no events.
constexpr std::uint64_t kLargestDefinitions = std::uint64_t{1} << 28U;

// Without a slash at its end.
fs::path named(const fs::path& path) {
  return path.filename().empty() ? path.parent_path() : path;
}

// As the recorder writes numbers: "007" is none of its own.
std::optional<std::uint32_t> number_of(std::string_view text) {
  if (text.size() > 1 && text.starts_with('0')) return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads the rank of "<rank>.definitions".
std::optional<std::uint32_t> rank_of_definitions(std::string_view name) {
  if (!name.ends_with(kDefinitions)) return std::nullopt;
  return number_of(name.substr(0, name.size() - kDefinitions.size()));
}

// "<rank>.<thread>.events".
bool is_events(std::string_view name) {
  if (!name.ends_with(kEvents)) return false;
  name.remove_suffix(kEvents.size());
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && number_of(name.substr(0, dot)) &&
         number_of(name.substr(dot + 1));
}

// True for what AtomicFile left of definitions when the process was killed.
bool is_unfinished(std::string_view name) {
  return name.starts_with('.') && name.ends_with(".tmp") &&
         name.find(kDefinitions) != std::string_view::npos;
}

void for_each_name(const fs::path& folder, const std::function<void(const std::string&)>& visit) {
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure))
    visit(it->path().filename().native());
  if (failure) throw SystemError("read", folder.native(), failure.value());
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool is_locked_file(const fs::path& path) {
  const files::OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
                             path.native());  // NOLINT: C's interface
  if (file.descriptor() < 0) return false;
  struct flock lock = whole_file();
  return ::fcntl(file.descriptor(), F_OFD_GETLK, &lock) == 0 &&  // NOLINT: C's interface
         lock.l_type != F_UNLCK;
}

}  // namespace

void lock_events(int descriptor) noexcept {
  // The lock belongs to the open file, not to the process, which reads the file, too, and closes it
  // again.
  struct flock lock = whole_file();
  static_cast<void>(::fcntl(descriptor, F_OFD_SETLK, &lock));  // NOLINT: C's interface
}

fs::path RawTraceFolder::path_of(const fs::path& trace, std::string_view run) {
  fs::path path = named(trace);
  path += kRawMark;
  path += run;
  return path;
}

fs::path RawTraceFolder::definitions_file(const fs::path& raw, std::uint32_t rank) {
  return raw / fmt::format("{}{}", rank, kDefinitions);
}

fs::path RawTraceFolder::events_file(const fs::path& raw, std::uint32_t rank, std::size_t thread) {
  return raw / fmt::format("{}.{}{}", rank, thread, kEvents);
}

bool RawTraceFolder::is_to_be_kept() {
  const char* const raw = std::getenv(kTraceRawVariable);  // NOLINT(concurrency-mt-unsafe)
  return raw != nullptr && std::string_view(raw) == "keep";
}

bool RawTraceFolder::is_one(const fs::path& path) {
  std::error_code none;
  const std::string name = named(path).filename().native();
  const std::size_t mark = name.rfind(kRawMark);
  return mark != std::string::npos && mark > 0 && fs::is_directory(path, none) &&
         !fs::exists(path / "traces.otf2", none);
}

std::vector<fs::path> RawTraceFolder::beside(const fs::path& trace) {
  std::vector<fs::path> found;
  const fs::path all = named(trace);
  const fs::path parent = all.parent_path().empty() ? fs::path(".") : all.parent_path();
  const std::string begin = all.filename().native() + std::string(kRawMark);
  if (begin == kRawMark) return found;
  try {
    for_each_name(parent, [&](const std::string& name) {
      const fs::path path = all.parent_path() / name;
      // The last mark counts: "a.raw-1.raw-2" is of a trace "a.raw-1".
      const bool of_this_trace = name.starts_with(begin) && name.rfind(kRawMark) < begin.size();
      if (of_this_trace && is_one(path)) found.push_back(path);
    });
  } catch (const SystemError&) {  // where nothing can be looked for, nothing is found
  }
  std::sort(found.begin(), found.end());
  return found;
}

RawTraceFolder::RawTraceFolder(fs::path path) : path_(named(path)) {
  if (!is_one(path_))
    throw Error(fmt::format(
        "{} is not what a traced run leaves that is cut short: a folder whose name ends in {}<run>",
        path_.native(), kRawMark));
}

fs::path RawTraceFolder::trace() const {
  const std::string name = path_.filename().native();
  return path_.parent_path() / name.substr(0, name.rfind(kRawMark));
}

std::vector<std::uint32_t> RawTraceFolder::ranks() const {
  std::vector<std::uint32_t> ranks;
  for_each_name(path_, [&](const std::string& name) {
    if (const auto rank = rank_of_definitions(name)) ranks.push_back(*rank);
  });
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

RecordedTrace RawTraceFolder::read(std::uint32_t rank) const {
  const fs::path file = definitions_file(path_, rank);
  RecordedTrace trace =
      RecordedTrace::unpacked(files::read_file(file, kLargestDefinitions), file.native());
  if (trace.rank != rank)
    throw FormatError(file.native(), "the rank", fmt::format("{}", trace.rank),
                      fmt::format("{}, as the file's name says", rank));
  for (std::size_t thread = 0; thread < trace.threads.size(); ++thread)
    trace.threads[thread].file = events_file(path_, rank, thread);
  trace.raw_folder = path_;
  return trace;
}

bool RawTraceFolder::is_locked() const {
  bool locked = false;
  for_each_name(path_, [&](const std::string& name) {
    locked = locked || (is_events(name) && is_locked_file(path_ / name));
  });
  return locked;
}

fs::file_time_type RawTraceFolder::last_written() const {
  std::error_code ignored;
  fs::file_time_type last = fs::last_write_time(path_, ignored);
  for_each_name(path_, [&](const std::string& name) {
    std::error_code gone;
    const fs::file_time_type written = fs::last_write_time(path_ / name, gone);
    if (!gone) last = std::max(last, written);
  });
  return last;
}

void RawTraceFolder::remove() const noexcept {
  try {
    std::vector<std::string> ours;
    for_each_name(path_, [&](const std::string& name) {
      if (rank_of_definitions(name) || is_events(name) || is_unfinished(name)) ours.push_back(name);
    });
    std::error_code ignored;
    for (const std::string& name : ours) fs::remove(path_ / name, ignored);
    fs::remove(path_, ignored);
  } catch (...) {  // it stays, and does no harm
  }
}

}  // namespace huddle::recorder
