#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

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

/// While it lives, a write beyond this process's file size limit fails, as on a full disk, instead
/// of killing the program (SIGXFSZ). For the thread that makes it.
class FileLimitGuard {
 public:
  FileLimitGuard() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    active_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
  }
  ~FileLimitGuard() {
    if (!active_) return;
    if (sigismember(&before_, SIGXFSZ) == 0) {
      const timespec none{};
      while (sigtimedwait(&signal_, nullptr, &none) > 0) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitGuard(const FileLimitGuard&) = delete;
  FileLimitGuard& operator=(const FileLimitGuard&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
  bool active_ = false;
};

}  // namespace huddle::recorder
