#include "profiles/recorder/snapshots.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace huddle::recorder {
namespace {

// Threads inherit the mask of who makes them.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

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
