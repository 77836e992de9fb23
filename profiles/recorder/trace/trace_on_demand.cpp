#include "profiles/recorder/trace/trace_on_demand.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "profiles/recorder/trace/raw_trace_folder.hpp"
#include "profiles/recorder/trace/trace_recovery.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;
using recorder::RawTraceFolder;
using recorder::RunEnd;

// As the recorder names it.
std::string this_node() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool is_there(const fs::path& trace) {
  std::error_code none;
  return fs::exists(trace, none) && !(fs::is_directory(trace, none) && fs::is_empty(trace, none));
}

// One process makes a trace, others wait here. Where folders can't be locked they do it side by
// side, and one of them is first.
class OneAtATime {
 public:
  explicit OneAtATime(const fs::path& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC),  // NOLINT: C's
                folder.native()) {
    if (folder_.descriptor() >= 0) static_cast<void>(::flock(folder_.descriptor(), LOCK_EX));
  }

 private:
  OpenFile folder_;
};

void make_trace_of(const fs::path& folder, bool command_ended) {
  const OneAtATime alone(folder);
  if (!RawTraceFolder::is_one(folder)) return;  // somebody else was first
  const RawTraceFolder raw(folder);
  if (const std::string why = RunEnd::why_not_yet(raw, this_node(), command_ended); !why.empty())
    throw Error(fmt::format("no trace can be made of {} yet: {}", folder.native(), why));
  recorder::salvage_trace(raw);
  fmt::print(stderr, "huddle: the run was cut short: {} was made of what it left in {}\n",
             raw.trace().native(), folder.native());
}

void make_trace_once(const fs::path& folder, bool command_ended) {
  const fs::path trace = RawTraceFolder(folder).trace();
  try {
    make_trace_of(folder, command_ended);
  } catch (const Error&) {
    if (!is_there(trace) || RawTraceFolder::is_one(folder)) throw;  // else somebody else was first
  }
}

bool written_before(const fs::path& a, const fs::path& b) {
  return RawTraceFolder(a).last_written() < RawTraceFolder(b).last_written();
}

}  // namespace

fs::path trace_on_demand(const fs::path& named) {
  if (RawTraceFolder::is_one(named)) {
    const fs::path trace = RawTraceFolder(named).trace();
    make_trace_once(named, false);
    return trace;
  }
  if (is_there(named)) return named;
  const std::vector<fs::path> left = RawTraceFolder::beside(named);
  if (left.empty()) return named;
  if (left.size() > 1)
    throw Error(
        fmt::format("there is no trace {}, and several runs that were cut short left what "
                    "one can be made of: name one of them, {} for instance",
                    named.native(), left[0].native()));
  make_trace_once(left[0], false);
  return named;
}

TraceOfCommand::TraceOfCommand(fs::path trace)
    : trace_(std::move(trace)), before_(RawTraceFolder::beside(trace_)) {}

void TraceOfCommand::complete() const noexcept {
  using namespace std::chrono_literals;
  constexpr auto kPatience = 5s;
  try {
    if (is_there(trace_)) return;
    std::vector<fs::path> left = RawTraceFolder::beside(trace_);
    std::erase_if(left, [&](const fs::path& one) {
      return std::find(before_.begin(), before_.end(), one) != before_.end();
    });
    if (left.empty()) return;
    // The command may have started several programs, one after the other.
    const fs::path folder = *std::max_element(left.begin(), left.end(), written_before);
    const auto last = std::chrono::steady_clock::now() + kPatience;
    while (RawTraceFolder(folder).is_locked() && std::chrono::steady_clock::now() < last)
      std::this_thread::sleep_for(100ms);
    const bool useless = RawTraceFolder(folder).ranks().empty();
    if (!useless) return make_trace_once(folder, true);
    fmt::print(stderr,
               "huddle: the run was cut short in its first seconds, before a trace can be made of "
               "what it leaves\n");
    if (!RawTraceFolder(folder).is_locked()) RawTraceFolder(folder).remove();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "huddle: {}\n", failure.what());
  }
}

}  // namespace huddle
