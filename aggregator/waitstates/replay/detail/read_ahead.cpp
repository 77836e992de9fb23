#include "aggregator/waitstates/replay/detail/read_ahead.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

// Small, because a trace may have thousands of locations: the batches of 256 should fit into a
// core's cache.
constexpr std::size_t kEventsOfBatch = 128;

// To wake a thread costs as much as to read a batch: it is woken for some of them.
constexpr std::size_t kMostUnread = 16;

bool begins_request(traces::EventKind kind) {
  return kind == traces::EventKind::kIsend || kind == traces::EventKind::kIrecvRequest ||
         kind == traces::EventKind::kCollectiveRequest;
}

bool ends_request(traces::EventKind kind) {
  return kind == traces::EventKind::kIsendComplete || kind == traces::EventKind::kIrecv ||
         kind == traces::EventKind::kCollectiveComplete ||
         kind == traces::EventKind::kRequestCancelled;
}

traces::EventKind begin_of(traces::EventKind end) {
  if (end == traces::EventKind::kIsendComplete) return traces::EventKind::kIsend;
  return end == traces::EventKind::kIrecv ? traces::EventKind::kIrecvRequest
                                          : traces::EventKind::kCollectiveRequest;
}

}  // namespace

void RequestPairing::pair(traces::Event& event) {
  if (begins_request(event.kind)) {
    event.group = slots_.acquire();
    slots_[event.group] = event.kind;
    // A request of the same number that never ended stays open: it is counted at the end.
    by_request_[{0, event.request}] = event.group;
  } else if (ends_request(event.kind)) {
    event.group = kNoIndex;
    const std::uint32_t* const known = find_in(by_request_, {0, event.request});
    if (known == nullptr) return;
    if (event.kind != traces::EventKind::kRequestCancelled &&
        slots_[*known] != begin_of(event.kind))
      return;
    event.group = *known;
    by_request_.erase({0, event.request});
  }
}

ReadAhead::ReadAhead(std::size_t threads) {
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { read_ahead(); });
  } catch (const std::system_error&) {
    // With fewer threads, or none, it is slower.
  }
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::size_t ReadAhead::add(std::unique_ptr<traces::EventStream> stream) {
  const std::lock_guard lock(mutex_);
  lines_.emplace_back().stream = std::move(stream);
  return lines_.size() - 1;
}

void ReadAhead::read(Line& line, EventBatch& batch) {
  for (const std::uint32_t slot : batch.released) line.requests.release(slot);
  batch.released.clear();
  batch.events.resize(kEventsOfBatch);
  std::size_t count = 0;
  try {
    count = line.stream->read(batch.events);
  } catch (const FormatError& error) {
    batch.damage = error.what();
  }
  batch.events.resize(count);
  for (traces::Event& event : batch.events) line.requests.pair(event);
}

// The mutex is held.
void ReadAhead::want(std::size_t location) {
  if (lines_[location].queued) return;
  lines_[location].queued = true;
  queue_.push_back(location);
  if (sleeping_ > 0 && queue_.size() >= std::min(kMostUnread, lines_.size())) wanted_.notify_one();
}

void ReadAhead::next(std::size_t location, EventBatch& batch) {
  if (threads_.empty()) return read(lines_[location], batch);
  std::unique_lock lock(mutex_);
  Line& line = lines_[location];
  read_.wait(lock, [&line] { return line.state != State::kBeingRead; });
  if (line.state == State::kWanted) {
    line.state = State::kBeingRead;
    lock.unlock();
    try {
      read(line, batch);
    } catch (...) {
      line.failure = std::current_exception();
    }
    lock.lock();
  } else {
    std::swap(batch, line.ahead);
  }
  line.state = State::kWanted;
  if (line.failure) std::rethrow_exception(line.failure);
  if (!batch.events.empty()) want(location);
}

void ReadAhead::read_ahead() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (queue_.empty()) {
      ++sleeping_;
      wanted_.wait(lock);
      --sleeping_;
      continue;
    }
    Line& line = lines_[queue_.front()];
    queue_.pop_front();
    line.queued = false;
    if (line.state != State::kWanted) continue;
    line.state = State::kBeingRead;
    lock.unlock();
    try {
      read(line, line.ahead);
    } catch (...) {
      line.failure = std::current_exception();
    }
    lock.lock();
    line.state = State::kRead;
    read_.notify_one();
  }
}

std::vector<std::string> ReadAhead::remarks(std::size_t location) const {
  return lines_[location].stream->remarks();
}

}  // namespace huddle::waitstates
