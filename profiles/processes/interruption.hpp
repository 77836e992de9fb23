#pragma once

namespace huddle::processes {

/// While one exists, the first Ctrl-C (SIGINT) only sets a flag; a second one ends the process as
/// ever. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  /// From any thread.
  [[nodiscard]] bool requested() const;
};

}  // namespace huddle::processes
