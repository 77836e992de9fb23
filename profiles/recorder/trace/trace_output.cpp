#include "profiles/recorder/trace/trace_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
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

constexpr std::string_view kRoot = "rank 0's message";

void tell_text(const Channel& channel, int rank, const std::string& text) {
  static constexpr std::uint64_t kChunk = 64U << 20U;
  const std::uint64_t size = text.size();
  channel.tell(rank, &size, sizeof size);
  for (std::uint64_t at = 0; at < size; at += kChunk)
    channel.tell(rank, text.data() + at, static_cast<int>(std::min(kChunk, size - at)));
}

std::string hear_text(const Channel& channel, int rank) {
  static constexpr std::uint64_t kChunk = 64U << 20U;
  std::uint64_t size = 0;
  channel.hear(rank, &size, sizeof size);
  std::string text(size, '\0');
  for (std::uint64_t at = 0; at < size; at += kChunk)
    channel.hear(rank, text.data() + at, static_cast<int>(std::min(kChunk, size - at)));
  return text;
}

std::string shared_text(const Channel& channel, std::string text) {
  std::uint64_t size = text.size();
  channel.share_from_root(&size, sizeof size);
  text.resize(size);
  if (size > 0) channel.share_from_root(text.data(), static_cast<int>(size));
  return text;
}

// What a rank has of its own, and what went wrong with it: whatever that is, the rank takes part in
// what all do together.
class OwnShare {
 public:
  explicit OwnShare(const std::function<RecordedTrace()>& save) {
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
    attempt([&] { text = piece_of(*trace_, functions_).packed(); });
    return text;
  }

  GroupLists lists(const GroupWishes& wishes) const {
    GroupLists lists;
    for (const std::uint32_t group : wishes.groups)
      lists.lists.push_back(known_ranks(trace_->groups.at(group)));
    return lists;
  }

  PieceResult write(const PieceNumbers& numbers, const std::filesystem::path& folder) {
    PieceResult result;
    attempt([&] { result = write_events(*trace_, functions_, numbers, folder); });
    result.failure = failure_;
    return result;
  }

  void remove_raw_files() const {
    const char* const wish = std::getenv("HUDDLE_TRACE_RAW");
    if (!trace_ || (wish != nullptr && std::string_view(wish) == "keep")) return;
    std::error_code ignored;
    for (const RecordedThread& thread : trace_->threads)
      std::filesystem::remove(thread.file, ignored);
    std::filesystem::remove(trace_->raw_folder / fmt::format("{}.definitions", trace_->rank),
                            ignored);
    std::filesystem::remove(trace_->raw_folder, ignored);  // once it is empty
  }

 private:
  std::optional<RecordedTrace> trace_;
  CallPathFunctions functions_;
  std::string failure_;
};

// The others' side of TraceRoot's talk with them.
void take_part(OwnShare& own, const Channel& channel, const std::filesystem::path& folder) {
  channel.deliver(own.piece());
  std::string answer = hear_text(channel, 0);
  PieceNumbers numbers;
  if (!answer.empty()) {
    std::string lists;
    own.attempt([&] { lists = own.lists(GroupWishes::unpacked(answer, kRoot)).packed(); });
    tell_text(channel, 0, lists);
    answer = hear_text(channel, 0);
  }
  PieceResult result;
  result.failure = own.failure().empty() ? "rank 0 has refused it" : own.failure();
  if (!answer.empty() && own.attempt([&] { numbers = PieceNumbers::unpacked(answer, kRoot); }))
    result = own.write(numbers, folder);
  own.remove_raw_files();
  channel.deliver(result.packed());
}

// Rank 0's side. After an error it goes on to talk with the others, who wait for it, and refuses.
class TraceRoot {
 public:
  TraceRoot(OwnShare& own, const Channel& channel) : own_(own), channel_(channel) {}

  void number_all() {
    const std::string own_piece = own_.piece();
    attempt(0, [&] {
      if (!own_.failure().empty()) throw Error(own_.failure());
      unification_.emplace(own_.trace().operations, own_.trace().ranks);
      const TracePiece piece = TracePiece::unpacked(own_piece, "rank 0");
      own_numbers_ = unification_->add(piece, own_.lists(unification_->wishes(piece)));
    });
    int rank = 0;
    channel_.collect([&](const std::string& text) {
      number_one(++rank, text);
      return true;
    });
  }

  void write_all(const std::filesystem::path& folder) {
    PieceResult own;
    if (failure_.empty()) own = own_.write(own_numbers_, folder);
    own_.remove_raw_files();
    take_result(0, own);
    int rank = 0;
    channel_.collect([&](const std::string& text) {
      ++rank;
      attempt(rank, [&] { take_result(rank, PieceResult::unpacked(text, "its message")); });
      return true;
    });
  }

  // Throws Error if anything went wrong.
  void complete(AtomicFolder& folder) {
    if (!failure_.empty()) throw Error(failure_);
    const TraceDefinitions definitions = unification_->take();
    TraceClock clock;
    clock.begin = unification_->begin();
    clock.length = definitions.duration;
    clock.wall_clock_ns = wall_clock_of(clock.begin);
    write_trace_definitions(folder.temporary(), definitions, clock);
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

  // The empty text says that there is nothing more to say.
  void number_one(int rank, const std::string& text) {
    TracePiece piece;
    std::string answer;
    attempt(rank, [&] {
      if (text.empty()) return;  // it will say why
      piece = TracePiece::unpacked(text, "its message");
      answer = unification_->wishes(piece).packed();
    });
    tell_text(channel_, rank, answer);
    if (answer.empty()) return;
    const std::string lists = hear_text(channel_, rank);
    std::string numbers;
    attempt(rank, [&] {
      if (lists.empty()) return;
      numbers = unification_->add(piece, GroupLists::unpacked(lists, "its message")).packed();
    });
    tell_text(channel_, rank, failure_.empty() ? numbers : std::string());
  }

  void take_result(int rank, const PieceResult& result) {
    attempt(rank, [&] {
      if (!result.failure.empty()) throw Error(result.failure);
      unification_->add_result(static_cast<std::uint32_t>(rank), result);
    });
  }

  // When it was by the calendar, at a moment of this node's monotonic clock.
  static std::uint64_t wall_clock_of(std::uint64_t monotonic_ns) {
    const auto now = [](clockid_t clock) {
      struct timespec time {};
      ::clock_gettime(clock, &time);
      return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
             static_cast<std::uint64_t>(time.tv_nsec);
    };
    return now(CLOCK_REALTIME) - (now(CLOCK_MONOTONIC) - monotonic_ns);
  }

  OwnShare& own_;
  const Channel& channel_;
  std::optional<TraceUnification> unification_;
  PieceNumbers own_numbers_;
  std::string failure_;
};

}  // namespace

void write_trace(const std::function<RecordedTrace()>& save, const Channel& channel,
                 const std::filesystem::path& folder) {
  OwnShare own(save);
  if (channel.rank() != 0) {
    const std::string temporary = shared_text(channel, {});
    if (temporary.empty())
      own.remove_raw_files();
    else
      take_part(own, channel, temporary);
    return;
  }
  std::optional<AtomicFolder> whole;
  std::string failure;
  try {
    whole.emplace(folder);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  shared_text(channel, whole ? whole->temporary().string() : std::string());
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
