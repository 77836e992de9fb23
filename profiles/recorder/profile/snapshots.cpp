#include "profiles/recorder/profile/snapshots.hpp"

#include <utility>

#include "profiles/recorder/process/no_signals.hpp"

namespace huddle::recorder {
Snapshots::Snapshots(std::function<void()> action, Duration first, Duration period)
    : action_(std::move(action)) {
  const NoSignals no_signals;
  thread_ = std::thread([this, first, period] { run(first, period); });
  pthread_setname_np(thread_.native_handle(), "huddle");
}

Snapshots::~Snapshots() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Snapshots::run(Duration first, Duration period) {
  std::unique_lock lock(mutex_);
  for (Duration pause = first; !wake_.wait_for(lock, pause, [this] { return stopped_; });
       pause = period) {
    lock.unlock();
    action_();
    lock.lock();
  }
}

}  // namespace huddle::recorder
