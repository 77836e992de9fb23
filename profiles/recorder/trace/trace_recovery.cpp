#include "profiles/recorder/trace/trace_recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "profiles/recorder/trace/call_path_functions.hpp"
#include "profiles/recorder/trace/trace_events_output.hpp"
#include "profiles/recorder/trace/trace_piece.hpp"
#include "profiles/recorder/trace/trace_unification.hpp"
#include "profiles/files/atomic_folder.hpp"
#include "profiles/traces/write/trace_part.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;

// More are no run's, but a file's that is damaged.
constexpr std::uint32_t kMostRanks = 1U << 22U;

// Ranks of a node have one clock, but each has measured its rate for itself, and some may have been
// cut short before the clocks were compared a second time: all of a node take one's.
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

  /// Of several nodes some were compared once only.
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

// One rank after the other: of the events some thousand are in memory, of the rest one rank's.
class Salvage {
 public:
  explicit Salvage(const RawTraceFolder& raw)
      : raw_(raw), written_(raw.last_written()), found_(raw.ranks()) {
    if (found_.empty())
      throw Error(fmt::format(
          "no trace can be made of {}: no rank has told what its events mean; the run ended in its "
          "first seconds, before that is done",
          raw_.path().native()));
    for (const std::uint32_t rank : found_) look_at(rank);
  }

  void write(const fs::path& folder) {
    unification_.emplace(operations_, ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) write_rank(rank, folder);
    TraceDefinitions definitions = unification_->take();
    add_remarks(definitions.remarks);
    TraceClock clock;
    clock.begin = unification_->begin();
    clock.length = definitions.duration;
    write_trace_definitions(folder, definitions, clock);
  }

 private:
  void look_at(std::uint32_t rank) {
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
  }

  void write_rank(std::uint32_t rank, const fs::path& folder) {
    RecordedTrace trace = std::binary_search(found_.begin(), found_.end(), rank)
                              ? rank_as_left(rank)
                              : missing_rank(rank);
    const CallPathFunctions functions = functions_of(trace.call_paths, trace.modules);
    note_changed(trace.modules);
    const TracePiece piece = piece_of(trace, functions);
    GroupLists lists;
    for (const std::uint32_t group : unification_->wishes(piece).groups)
      lists.lists.push_back(known_ranks(trace.groups.at(group)));
    const PieceNumbers numbers = unification_->add(piece, lists);
    const PieceResult result = write_events(trace, functions, numbers, folder, Unusable::kLeftOut);
    if (result.has_events) ends_.emplace(result.last, rank);
    unification_->add_result(rank, result);
  }

  [[nodiscard]] RecordedTrace rank_as_left(std::uint32_t rank) const {
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

  void note_changed(const std::vector<std::string>& modules) {
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
  std::optional<TraceUnification> unification_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> ends_;  // nanoseconds, rank
  std::set<std::string> seen_modules_;
  std::vector<std::string> changed_;
};

bool is_to_be_kept() {
  const char* const wish = std::getenv("HUDDLE_TRACE_RAW");  // NOLINT(concurrency-mt-unsafe)
  return wish != nullptr && std::string_view(wish) == "keep";
}

// Of ranks that told nothing nobody knows where they were.
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

void salvage_trace(const RawTraceFolder& raw) {
  AtomicFolder::check_free(raw.trace());
  Salvage salvage(raw);
  AtomicFolder folder(raw.trace());
  salvage.write(folder.temporary());
  folder.commit();
  if (!is_to_be_kept()) raw.remove();
}

}  // namespace huddle::recorder
