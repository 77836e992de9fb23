#include "profiles/recorder/trace/trace_recovery.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "profiles/files/atomic_folder.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/recorder/trace/call_paths.hpp"
#include "profiles/recorder/trace/raw_trace_folder.hpp"
#include "profiles/recorder/trace/region_events.hpp"
#include "profiles/recorder/trace/trace_unification.hpp"
#include "profiles/traces/write/trace_writer.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

namespace fs = std::filesystem;

// A larger number comes from a damaged file.
constexpr std::uint32_t kMostRanks = 1U << 22U;

// The ranks of a node share a clock, but each has measured its rate, and some may have been cut
// short before the clocks were compared a second time: all of a node use the measurement of one.
class ClocksOfNodes {
 public:
  void add(const RecordedTrace& trace) {
    nodes_.insert(trace.node);
    const Clock clock{trace.ticks_per_second, trace.clock_begin, trace.clock_end};
    const auto [where, is_new] = clocks_.emplace(key_of(trace), clock);
    if (!is_new && clock.is_compared_at_end() && !where->second.is_compared_at_end())
      where->second = clock;
  }

  void apply(RecordedTrace& trace) const {
    const Clock& clock = clocks_.at(key_of(trace));
    trace.ticks_per_second = clock.ticks_per_second;
    trace.clock_begin = clock.begin;
    trace.clock_end = clock.end;
  }

  /// There are several nodes, and the clocks of some were compared only once.
  [[nodiscard]] bool may_drift() const {
    return nodes_.size() > 1 && std::any_of(clocks_.begin(), clocks_.end(), [](const auto& clock) {
             return !clock.second.is_compared_at_end();
           });
  }

 private:
  struct Clock {
    double ticks_per_second = 0;
    ClockPoint begin;
    ClockPoint end;
    [[nodiscard]] bool is_compared_at_end() const {
      return end.ticks > begin.ticks && end.nanoseconds > begin.nanoseconds;
    }
  };
  using Key = std::tuple<std::string, std::uint64_t, std::int64_t>;

  // Two nodes that have one name, as containers may, were still compared at two moments.
  static Key key_of(const RecordedTrace& trace) {
    return {trace.node, trace.clock_begin.ticks, trace.clock_begin.nanoseconds};
  }

  std::map<Key, Clock> clocks_;
  std::set<std::string> nodes_;
};

// Counts the communicators that all ranks together will have, as TraceUnification numbers them.
class CommunicatorCount {
 public:
  void add(const RecordedTrace& trace) {
    std::size_t selves = 0;
    for (const RecordedCommunicator& each : trace.communicators)
      if (each.self)
        ++selves;
      else
        keys_.insert(each.key);
    selves_ = std::max(selves_, selves);
  }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(keys_.size() + selves_);
  }

 private:
  std::set<std::uint64_t> keys_;
  std::size_t selves_ = 0;
};

// Works through one rank after the other: some thousand events and one rank's definitions are in
// memory.
class Recovery {
 public:
  explicit Recovery(const RawTraceFolder& raw)
      : raw_(raw), written_(raw.last_written()), found_(raw.ranks()) {
    if (found_.empty())
      throw Error(
          fmt::format("no trace can be made of {}: no rank has recorded what its events mean; the "
                      "run ended in its first seconds, before that is done",
                      raw_.path().native()));
    for (const std::uint32_t rank : found_) read_clock_of(rank);
  }

  void write(const fs::path& folder) {
    unification_.emplace(operations_, ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) write_rank(rank, folder);
    traces::TraceDefinitions definitions = unification_->take();
    add_remarks(definitions.remarks);
    traces::TraceClock clock;
    clock.begin = unification_->begin();
    clock.length = definitions.duration;
    traces::write_trace_definitions(folder, definitions, clock, unification_->take_power());
  }

 private:
  void read_clock_of(std::uint32_t rank) {
    const RecordedTrace trace = raw_.read(rank);
    const auto refuse = [&](std::string_view where, std::string found, std::string_view expected) {
      throw FormatError((raw_.path() / fmt::format("{}.definitions", rank)).native(), where, found,
                        expected);
    };
    if (rank == found_[0]) {
      ranks_ = trace.ranks;
      operations_ = trace.operations;
    }
    if (trace.ranks != ranks_ || ranks_ > kMostRanks || rank >= ranks_)
      refuse("the number of ranks", fmt::format("{}", trace.ranks),
             fmt::format("more than {}, the same on all ranks, {} at most", rank, kMostRanks));
    if (!(trace.ticks_per_second >= 1e3 && trace.ticks_per_second <= 1e12))
      refuse("the clock", fmt::format("{} ticks a second", trace.ticks_per_second),
             "a thousand to 10^12");
    clocks_.add(trace);
    communicators_.add(trace);
  }

  void write_rank(std::uint32_t rank, const fs::path& folder) {
    RecordedTrace trace = std::binary_search(found_.begin(), found_.end(), rank)
                              ? surviving_rank(rank)
                              : missing_rank(rank);
    const CallPathFunctions functions = functions_of(trace.call_paths, trace.modules);
    check_for_changes(trace.modules);
    const TracePiece piece = piece_of(trace, functions);
    std::vector<std::vector<std::uint32_t>> ranks_of_groups;
    for (const std::uint32_t group : unification_->new_groups(piece))
      ranks_of_groups.push_back(known_ranks(trace.groups.at(group)));
    PieceNumbers numbers = unification_->add(piece, ranks_of_groups);
    numbers.all_communicators = communicators_.count();
    const PieceResult result = write_events(trace, functions, numbers, folder, Unusable::kLeftOut);
    if (result.has_events) ends_.emplace(result.last, rank);
    unification_->add_result(rank, result);
  }

  [[nodiscard]] RecordedTrace surviving_rank(std::uint32_t rank) const {
    RecordedTrace trace = raw_.read(rank);
    clocks_.apply(trace);
    return trace;
  }

  [[nodiscard]] RecordedTrace missing_rank(std::uint32_t rank) const {
    RecordedTrace trace;
    trace.rank = rank;
    trace.ranks = ranks_;
    trace.ticks_per_second = 1e9;
    trace.operations = operations_;
    trace.remarks = {"nothing is left of what it recorded"};
    return trace;
  }

  void check_for_changes(const std::vector<std::string>& modules) {
    for (const std::string& module : modules) {
      if (!seen_modules_.insert(module).second) continue;
      std::error_code unknown;
      const fs::file_time_type written = fs::last_write_time(module, unknown);
      if (!unknown && written > written_) changed_.push_back(module);
    }
  }

  void add_remarks(std::vector<std::string>& remarks) const {
    std::vector<std::string> first = {
        "the run was cut short, and this trace was made of what it left: of its last seconds "
        "events may be missing"};
    if (!ends_.empty() && ends_.begin()->second != ends_.rbegin()->second)
      first.push_back(fmt::format(
          "rank {} ends first, {:.6f} s before rank {}, which ends last", ends_.begin()->second,
          static_cast<double>(ends_.rbegin()->first - ends_.begin()->first) * 1e-9,
          ends_.rbegin()->second));
    if (clocks_.may_drift())
      first.emplace_back(
          "clocks of nodes were compared at the begin of the run only: they may drift apart, by "
          "some microseconds a second");
    for (const std::string& module : changed_)
      first.push_back(
          fmt::format("names of functions may be wrong: {} was changed after the run", module));
    remarks.insert(remarks.begin(), first.begin(), first.end());
  }

  const RawTraceFolder& raw_;
  fs::file_time_type written_;
  std::vector<std::uint32_t> found_;  // ranks
  std::uint32_t ranks_ = 0;
  std::vector<std::string> operations_;
  ClocksOfNodes clocks_;
  CommunicatorCount communicators_;
  std::optional<TraceUnification> unification_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> ends_;  // nanoseconds, rank
  std::set<std::string> seen_modules_;
  std::vector<std::string> changed_;
};

// Where ranks were that left no definitions is unknown.
bool all_ranks_were_on(const std::string& node, const RawTraceFolder& raw) {
  std::size_t found = 0;
  std::size_t wanted = 1;
  for (const std::uint32_t rank : raw.ranks()) {
    const RecordedTrace trace = raw.read(rank);
    if (trace.node != node) return false;
    wanted = trace.ranks;
    ++found;
  }
  return found == wanted;
}

}  // namespace

std::string RunEnd::why_not_yet(const RawTraceFolder& raw, const std::string& this_node,
                                bool command_ended, fs::file_time_type now) {
  if (raw.is_locked()) return "its run goes on: a process still writes to it";
  if (command_ended) return {};
  const auto quiet = std::chrono::duration_cast<std::chrono::seconds>(now - raw.last_written());
  if (quiet >= kQuiet || all_ranks_were_on(this_node, raw)) return {};
  return fmt::format(
      "its run may go on, on other nodes: it was written to {} s ago; ask again after {} s without",
      std::max<std::int64_t>(quiet.count(), 0), kQuiet.count());
}

void recover_trace(const RawTraceFolder& raw) {
  files::AtomicFolder::check_free(raw.trace());
  Recovery recovery(raw);
  files::AtomicFolder folder(raw.trace());
  recovery.write(folder.temporary());
  folder.commit();
  if (!RawTraceFolder::is_to_be_kept()) raw.remove();
}

namespace {

// As the recorder names it.
std::string this_node() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool is_there(const fs::path& trace) {
  std::error_code none;
  return fs::exists(trace, none) && !(fs::is_directory(trace, none) && fs::is_empty(trace, none));
}

// Lets one process recover a trace while others wait. Where folders can't be locked several may try
// at the same time, and the first one succeeds.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC),  // NOLINT: C's
                folder.native()) {
    if (folder_.descriptor() >= 0) static_cast<void>(::flock(folder_.descriptor(), LOCK_EX));
  }

 private:
  files::OpenFile folder_;
};

FoundTrace recover_once(const fs::path& folder, bool command_ended) {
  const fs::path trace = RawTraceFolder(folder).trace();
  try {
    const FolderLock lock(folder);
    if (!RawTraceFolder::is_one(folder)) return {trace, {}};  // another process was first
    const RawTraceFolder raw(folder);
    if (const std::string why = RunEnd::why_not_yet(raw, this_node(), command_ended); !why.empty())
      throw Error(fmt::format("no trace can be made of {} yet: {}", folder.native(), why));
    recover_trace(raw);
    return {trace, folder};
  } catch (const Error&) {
    if (!is_there(trace) || RawTraceFolder::is_one(folder)) throw;
    return {trace, {}};  // another process was first
  }
}

bool written_before(const fs::path& a, const fs::path& b) {
  return RawTraceFolder(a).last_written() < RawTraceFolder(b).last_written();
}

}  // namespace

FoundTrace find_trace(const fs::path& named) {
  if (RawTraceFolder::is_one(named)) return recover_once(named, false);
  if (is_there(named)) return {named, {}};
  const std::vector<fs::path> left = RawTraceFolder::beside(named);
  if (left.empty()) return {named, {}};
  if (left.size() > 1)
    throw Error(
        fmt::format("there is no trace {}, and several runs that were cut short left what "
                    "one can be made of: name one of them, {} for instance",
                    named.native(), left[0].native()));
  return {named, recover_once(left[0], false).recovered_from};
}

TracesOfCommand::TracesOfCommand(const fs::path& folder) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (RawTraceFolder::is_one(entry.path())) before_.push_back(entry.path().filename());
}

FoundTrace TracesOfCommand::recover(const fs::path& trace) const {
  using namespace std::chrono_literals;
  constexpr auto kPatience = 5s;
  if (is_there(trace)) return {trace, {}};
  std::vector<fs::path> left = RawTraceFolder::beside(trace);
  std::erase_if(left, [&](const fs::path& one) {
    return std::find(before_.begin(), before_.end(), one.filename()) != before_.end();
  });
  if (left.empty()) return {trace, {}};
  const fs::path folder = *std::max_element(left.begin(), left.end(), written_before);
  const RawTraceFolder raw(folder);
  const auto last = std::chrono::steady_clock::now() + kPatience;
  while (raw.is_locked() && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(100ms);
  if (!raw.ranks().empty()) return recover_once(folder, true);
  if (!raw.is_locked()) raw.remove();
  throw Error(
      "the run was cut short in its first seconds, before a trace can be made of what it leaves");
}

}  // namespace huddle::recorder
