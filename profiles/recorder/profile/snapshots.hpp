#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace huddle::recorder {

/// A thread of the recorder's own in the program's process, which does one thing again and again.
/// It takes no signals, so that the program's handlers run where they would without it.
class Snapshots {
 public:
  using Duration = std::chrono::milliseconds;

  /// Calls action(), which must not throw, after `first` and then every `period`. Throws
  /// std::system_error if no thread can be had.
  Snapshots(std::function<void()> action, Duration first, Duration period);
  /// Waits for an action that is under way.
  ~Snapshots();
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

 private:
  void run(Duration first, Duration period);

  std::function<void()> action_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace huddle::recorder
