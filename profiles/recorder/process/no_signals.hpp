#pragma once

#include <pthread.h>
#include <signal.h>

namespace huddle::recorder {

/// While it lives, the thread that made it takes no signals, and neither do threads that it makes:
/// they inherit its mask, so that the program's handlers run where they would without the recorder.
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

}  // namespace huddle::recorder
