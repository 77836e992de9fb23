#include "profiles/recorder/threads.hpp"

namespace huddle::recorder {

ThreadState& Threads::claim() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    ThreadState& state = *free_.back();
    free_.pop_back();
    return state;
  }
  free_.reserve(states_.size() + 1);  // so that release() never allocates
  states_.push_back(std::make_unique<ThreadState>(operations_));
  return *states_.back();
}

void Threads::release(ThreadState& state) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(&state);
}

std::vector<const ThreadCounters*> Threads::counters() const {
  const std::lock_guard lock(mutex_);
  std::vector<const ThreadCounters*> counters;
  counters.reserve(states_.size());
  for (const auto& state : states_) counters.push_back(&state->counters);
  return counters;
}

}  // namespace huddle::recorder
