#pragma once

// The events of a trace's locations, read in batches by whoever has time: by threads that read
// ahead, or by the replay itself.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "profiles/traces/event.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// Some events of a location, one after the other. In events that begin or end a nonblocking
/// operation, `group` is the slot of its request, or kNoIndex for an end that belongs to none.
struct EventBatch {
  std::vector<traces::Event> events;  ///< none: the location has ended
  std::string damage;                 ///< why reading stopped before the end, or empty
  /// On the way back: slots that their requests don't need any more.
  std::vector<std::uint32_t> released;
};

/// Finds which events of a location belong to one nonblocking operation. Not thread-safe.
class RequestPairing {
 public:
  /// Sets `event.group` as EventBatch has it. Events come in their order.
  void pair(traces::Event& event);
  /// The slot may be used again.
  void release(std::uint32_t slot) { slots_.release(slot); }

 private:
  Pool<traces::EventKind> slots_;  // the kinds of the events that began them
  FlatMap<std::uint32_t> by_request_;
};

/// Reads the events of many locations, some of them before they are needed. Each location has one
/// batch that was read ahead at most. What is read does not depend on the number of threads: a
/// batch that no thread has begun to read when it is needed is read at once. For one reader: the
/// replay; no two of its threads may call anything at the same time.
class ReadAhead {
 public:
  /// Reads with `threads` threads beside the caller's; 0: only when asked.
  explicit ReadAhead(std::size_t threads);
  /// Ends the threads.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Returns the number by which next() and remarks() know it.
  std::size_t add(std::unique_ptr<traces::EventStream> stream);

  /// Replaces `batch`, which was the location's last one (or is new), by the next. Throws what
  /// reading throws but for FormatError, which is a damage.
  void next(std::size_t location, EventBatch& batch);

  /// The stream's, once it has ended.
  [[nodiscard]] std::vector<std::string> remarks(std::size_t location) const;

 private:
  enum class State : std::uint8_t { kWanted, kBeingRead, kRead };
  struct Line {
    std::unique_ptr<traces::EventStream> stream;
    RequestPairing requests;
    EventBatch ahead;
    std::exception_ptr failure;
    State state = State::kWanted;
    bool queued = false;
  };

  static void read(Line& line, EventBatch& batch);
  void read_ahead();
  void want(std::size_t location);

  std::deque<Line> lines_;  // references stay valid
  std::mutex mutex_;        // of all below, and the lines' states; their rest is for who reads
  std::condition_variable wanted_;
  std::condition_variable read_;
  std::deque<std::size_t> queue_;  // of those wanted, and some that were read meanwhile
  std::size_t sleeping_ = 0;       // threads
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace huddle::waitstates
