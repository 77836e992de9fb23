#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/recorder/trace/event_packing.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/files/open_file.hpp"

namespace huddle::recorder {

/// Reads what a thread recorded, from first to last, a portion at a time. One thread's.
class EventFile {
 public:
  /// Throws SystemError, and FormatError if it is no plain file.
  explicit EventFile(const RecordedThread& thread);

  /// The next events; none at the end. Valid until the next call. Throws SystemError, and
  /// FormatError if the file is shorter than it should be, or damaged there.
  const std::vector<Event>& next();

 private:
  void fill();

  std::string name_;
  OpenFile file_;
  std::uint64_t left_;  // bytes that were not read yet
  bool cut_;
  std::vector<std::uint8_t> bytes_;
  EventUnpacker unpacker_;
  std::vector<Event> events_;
};

}  // namespace huddle::recorder
