#pragma once

#include <chrono>
#include <filesystem>

#include "spank_plugin/clocks/watch_order.hpp"

namespace huddle {

/// The watcher of a step, as the slurmstepd that starts it sees it: `huddle_clocks watch`, a
/// process of its own (decision 0043) that no longer belongs to slurmstepd once this object exists.
/// It reads the order, and acts from begin() on. Without begin() it ends with this object.
class WatcherProcess {
 public:
  /// Starts `program`, which must be root's own and which nobody else may write to, and waits until
  /// it is ready, at most `patience`. Throws Error if it can't be started or is not ready by then.
  WatcherProcess(const std::filesystem::path& program, const WatchOrder& order,
                 std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~WatcherProcess();
  WatcherProcess(const WatcherProcess&) = delete;
  WatcherProcess& operator=(const WatcherProcess&) = delete;

  /// From now on it goes on without this object, until the step is over.
  void begin();

 private:
  int connection_ = -1;
};

}  // namespace huddle
