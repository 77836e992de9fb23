#include "profiles/recorder/tracing/trace_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/files/atomic_folder.hpp"
#include "profiles/recorder/trace/call_paths.hpp"
#include "profiles/recorder/trace/raw_trace_folder.hpp"
#include "profiles/recorder/trace/region_events.hpp"
#include "profiles/recorder/trace/trace_unification.hpp"
#include "profiles/traces/write/trace_writer.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

using RankLists = std::vector<std::vector<std::uint32_t>>;

constexpr std::string_view kRoot = "rank 0's message";

// A rank's own recorded trace, and what went wrong with it: whatever that is, the rank takes part
// in everything that the ranks do together.
class OwnTrace {
 public:
  explicit OwnTrace(const std::function<RecordedTrace()>& save) {
    attempt([&] {
      trace_.emplace(save());
      functions_ = functions_of(trace_->call_paths, trace_->modules);
    });
  }

  [[nodiscard]] const RecordedTrace& trace() const { return *trace_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

  template <class Action>
  bool attempt(const Action& action) {
    try {
      if (failure_.empty()) action();
    } catch (const std::exception& error) {
      failure_ = error.what();
    } catch (...) {
      failure_ = "an unknown error";
    }
    return failure_.empty();
  }

  // Empty if something went wrong.
  std::string piece() {
    std::string text;
    attempt([&] { text = packed_message(piece_of(*trace_, functions_)); });
    return text;
  }

  RankLists ranks_of(const std::vector<std::uint32_t>& groups) const {
    RankLists lists;
    for (const std::uint32_t group : groups) lists.push_back(known_ranks(trace_->groups.at(group)));
    return lists;
  }

  PieceResult write(const PieceNumbers& numbers, const std::filesystem::path& folder) {
    PieceResult result;
    attempt([&] { result = write_events(*trace_, functions_, numbers, folder); });
    result.failure = failure_;
    return result;
  }

  void remove_raw_files() const {
    if (!trace_ || RawTraceFolder::is_to_be_kept()) return;
    std::error_code ignored;
    for (const RecordedThread& thread : trace_->threads)
      std::filesystem::remove(thread.file, ignored);
    std::filesystem::remove(RawTraceFolder::definitions_file(trace_->raw_folder, trace_->rank),
                            ignored);
    std::filesystem::remove(trace_->raw_folder, ignored);  // once it is empty
  }

 private:
  std::optional<RecordedTrace> trace_;
  CallPathFunctions functions_;
  std::string failure_;
};

// The other ranks' side of what TraceRoot does.
void take_part(OwnTrace& own, const Channel& channel, const std::filesystem::path& folder) {
  channel.deliver(own.piece());
  std::string answer = channel.receive(0);
  PieceNumbers numbers;
  if (!answer.empty()) {
    std::string lists;
    own.attempt([&] {
      const auto groups = unpacked_message<std::vector<std::uint32_t>>(answer, kRoot);
      lists = packed_message(own.ranks_of(groups));
    });
    channel.send(0, lists);
    answer = channel.receive(0);
  }
  const bool numbered = !answer.empty() && own.attempt([&] {
    numbers = unpacked_message<PieceNumbers>(answer, kRoot);
  });
  channel.broadcast(&numbers.all_communicators, sizeof numbers.all_communicators);
  PieceResult result;
  result.failure = own.failure().empty() ? "rank 0 has refused it" : own.failure();
  if (numbered) result = own.write(numbers, folder);
  own.remove_raw_files();
  channel.deliver(packed_message(result));
}

// Rank 0's side. After an error it still answers the other ranks, which wait for it, and refuses.
class TraceRoot {
 public:
  TraceRoot(OwnTrace& own, const Channel& channel) : own_(own), channel_(channel) {}

  void number_all() {
    const std::string own_piece = own_.piece();
    attempt(0, [&] {
      if (!own_.failure().empty()) throw Error(own_.failure());
      unification_.emplace(own_.trace().operations, own_.trace().ranks);
      const TracePiece piece = unpacked_message<TracePiece>(own_piece, "rank 0");
      own_numbers_ = unification_->add(piece, own_.ranks_of(unification_->new_groups(piece)));
    });
    int rank = 0;
    channel_.collect([&](const std::string& text) {
      number_one(++rank, text);
      return true;
    });
    // Teams are numbered behind all communicators.
    if (unification_) own_numbers_.all_communicators = unification_->communicators();
    channel_.broadcast(&own_numbers_.all_communicators, sizeof own_numbers_.all_communicators);
  }

  void write_all(const std::filesystem::path& folder) {
    PieceResult own;
    if (failure_.empty()) own = own_.write(own_numbers_, folder);
    own_.remove_raw_files();
    take_result(0, own);
    int rank = 0;
    channel_.collect([&](const std::string& text) {
      ++rank;
      attempt(rank, [&] { take_result(rank, unpacked_message<PieceResult>(text, "its message")); });
      return true;
    });
  }

  // Throws Error if anything went wrong.
  void complete(files::AtomicFolder& folder) {
    if (!failure_.empty()) throw Error(failure_);
    const traces::TraceDefinitions definitions = unification_->take();
    traces::TraceClock clock;
    clock.begin = unification_->begin();
    clock.length = definitions.duration;
    clock.wall_clock_ns = wall_clock_of(clock.begin);
    traces::write_trace_definitions(folder.temporary(), definitions, clock,
                                    unification_->take_power());
    folder.commit();
  }

 private:
  template <class Action>
  bool attempt(int rank, const Action& action) {
    try {
      if (failure_.empty()) action();
    } catch (const std::exception& error) {
      failure_ = fmt::format("rank {}: {}", rank, error.what());
    }
    return failure_.empty();
  }

  // An empty answer ends the exchange.
  void number_one(int rank, const std::string& text) {
    TracePiece piece;
    std::string answer;
    attempt(rank, [&] {
      if (text.empty()) return;  // its result will say why
      piece = unpacked_message<TracePiece>(text, "its message");
      answer = packed_message(unification_->new_groups(piece));
    });
    channel_.send(rank, answer);
    if (answer.empty()) return;
    const std::string lists = channel_.receive(rank);
    std::string numbers;
    attempt(rank, [&] {
      if (lists.empty()) return;
      numbers = packed_message(
          unification_->add(piece, unpacked_message<RankLists>(lists, "its message")));
    });
    channel_.send(rank, failure_.empty() ? numbers : std::string());
  }

  void take_result(int rank, const PieceResult& result) {
    attempt(rank, [&] {
      if (!result.failure.empty()) throw Error(result.failure);
      unification_->add_result(static_cast<std::uint32_t>(rank), result);
    });
  }

  // The wall clock's time at a moment of this node's monotonic clock.
  static std::uint64_t wall_clock_of(std::uint64_t monotonic_ns) {
    const auto now = [](clockid_t clock) {
      struct timespec time {};
      ::clock_gettime(clock, &time);
      return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
             static_cast<std::uint64_t>(time.tv_nsec);
    };
    return now(CLOCK_REALTIME) - (now(CLOCK_MONOTONIC) - monotonic_ns);
  }

  OwnTrace& own_;
  const Channel& channel_;
  std::optional<TraceUnification> unification_;
  PieceNumbers own_numbers_;
  std::string failure_;
};

}  // namespace

void remove_trace(const std::function<RecordedTrace()>& save) {
  OwnTrace(save).remove_raw_files();
}

void write_trace(const std::function<RecordedTrace()>& save, const Channel& channel,
                 const std::filesystem::path& folder) {
  OwnTrace own(save);
  if (channel.rank() != 0) {
    const std::string temporary = channel.broadcast(std::string());
    if (temporary.empty())
      own.remove_raw_files();
    else
      take_part(own, channel, temporary);
    return;
  }
  std::optional<files::AtomicFolder> whole;
  std::string failure;
  try {
    whole.emplace(folder);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  static_cast<void>(channel.broadcast(whole ? whole->temporary().string() : std::string()));
  try {
    if (!whole) {
      own.remove_raw_files();
      throw Error(failure);
    }
    TraceRoot root(own, channel);
    root.number_all();
    root.write_all(whole->temporary());
    root.complete(*whole);
  } catch (const std::exception& error) {
    throw Error(fmt::format("no trace is written: {}", error.what()));
  }
}

}  // namespace huddle::recorder
