#pragma once

// The format of recorded events: packing, and reading them back, also from files that end early.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/files/open_file.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// The format of a thread's events in memory and in its file: each is its kind, followed by the
/// time since the event before and the fields of its kind, as numbers of as many bytes as they need
/// (LEB128). That is a tenth of the size of an Event, and so a tenth of what has to be written
/// while the program runs; packing takes less time than storing all of it would. kLeave belongs to
/// the innermost kEnter that has none: calls of MPI may be in regions of OpenMP, and nothing in a
/// call.
namespace packing {

/// No event takes more bytes.
inline constexpr std::size_t kLargest = 64;

enum Field : std::uint8_t {
  kRequest = 1,
  kBytes = 2,
  kSubject = 4,
  kPeer = 8,
  kTag = 16,
  kGroup = 32,
  kCollective = 64
};

/// The sum of an event's fields, indexed by EventKind.
inline constexpr auto kFields = [] {
  std::array<std::uint8_t, 32> fields{};
  const auto set = [&](traces::EventKind kind, int sum) {
    fields[static_cast<std::size_t>(kind)] = static_cast<std::uint8_t>(sum);
  };
  set(traces::EventKind::kEnter, kSubject | kTag);
  set(traces::EventKind::kSend, kSubject | kPeer | kTag | kBytes);
  set(traces::EventKind::kIsend, kSubject | kPeer | kTag | kBytes | kRequest);
  set(traces::EventKind::kIsendComplete, kRequest);
  set(traces::EventKind::kIrecvRequest, kRequest);
  set(traces::EventKind::kRecv, kSubject | kPeer | kTag | kBytes);
  set(traces::EventKind::kIrecv, kSubject | kPeer | kTag | kBytes | kRequest);
  set(traces::EventKind::kRequestTested, kRequest);
  set(traces::EventKind::kRequestCancelled, kRequest);
  set(traces::EventKind::kCollectiveEnd, kSubject | kCollective | kPeer | kBytes);
  set(traces::EventKind::kCollectiveRequest, kRequest);
  set(traces::EventKind::kCollectiveComplete, kSubject | kCollective | kPeer | kBytes | kRequest);
  for (const traces::EventKind kind :
       {traces::EventKind::kWindowCreated, traces::EventKind::kWindowFreed,
        traces::EventKind::kWindowFence, traces::EventKind::kWindowComplete,
        traces::EventKind::kWindowWait, traces::EventKind::kTeamBegin, traces::EventKind::kTeamEnd})
    set(kind, kSubject);
  set(traces::EventKind::kWindowPost, kSubject | kGroup);
  set(traces::EventKind::kWindowStart, kSubject | kGroup);
  set(traces::EventKind::kOneSided, kSubject | kPeer | kBytes);
  set(traces::EventKind::kFileCollective, kSubject | kBytes);
  set(traces::EventKind::kWindowLocked, kSubject | kPeer | kRequest);
  set(traces::EventKind::kWindowUnlocked, kSubject | kPeer);
  return fields;
}();

}  // namespace packing

/// Packs one thread's events, in order. That thread's.
class EventPacker {
 public:
  /// Writes at most packing::kLargest bytes to `at`, and returns where they end.
  [[gnu::always_inline]] std::uint8_t* pack(const traces::Event& event, std::uint8_t* at) noexcept {
    const std::uint8_t fields = packing::kFields[static_cast<std::size_t>(event.kind)];
    *at++ = static_cast<std::uint8_t>(event.kind);
    at = put(event.time - time_, at);
    time_ = event.time;
    if ((fields & packing::kSubject) != 0) at = put(event.subject, at);
    if ((fields & packing::kPeer) != 0) at = put(event.peer + 1U, at);  // kNobody becomes 0
    if ((fields & packing::kTag) != 0) at = put(event.tag + 1U, at);
    if ((fields & packing::kBytes) != 0) at = put(event.bytes, at);
    if ((fields & packing::kRequest) != 0) at = put(event.request, at);
    if ((fields & packing::kGroup) != 0) at = put(event.group + 1U, at);
    if ((fields & packing::kCollective) != 0) *at++ = static_cast<std::uint8_t>(event.collective);
    return at;
  }

 private:
  [[gnu::always_inline]] static std::uint8_t* put(std::uint64_t number, std::uint8_t* at) {
    while (number >= 0x80U) {
      *at++ = static_cast<std::uint8_t>(number | 0x80U);
      number >>= 7U;
    }
    *at++ = static_cast<std::uint8_t>(number);
    return at;
  }

  std::uint64_t time_ = 0;
};

/// Unpacks them again, from the first on.
class EventUnpacker {
 public:
  /// Reads the event at `at`, which is moved behind it; false if there is none or only a part
  /// before `end`, and then `at` stays. Throws Error if it is no event.
  bool unpack(const std::uint8_t*& at, const std::uint8_t* end, traces::Event& event);

 private:
  /// A call in an explicit barrier in a region would be three: more comes from a damaged file.
  static constexpr std::size_t kDeepest = 64;

  std::vector<traces::Event> entered_;
  std::uint64_t time_ = 0;
};

/// Reads what a thread recorded, from first to last, a portion at a time. One thread's.
class EventFile {
 public:
  /// Throws SystemError, and FormatError if it is no plain file.
  explicit EventFile(const RecordedThread& thread);

  /// The next events; none at the end. Valid until the next call. Throws SystemError, and
  /// FormatError if the file is shorter than it should be, or damaged there.
  const std::vector<traces::Event>& next();

 private:
  void fill();

  std::string name_;
  files::OpenFile file_;
  std::uint64_t left_;  // bytes that were not read yet
  bool cut_;
  std::vector<std::uint8_t> bytes_;
  EventUnpacker unpacker_;
  std::vector<traces::Event> events_;
};

/// The events that a thread recorded in a run that was cut short, up to the first one that is
/// unusable: the file may be damaged, and events at its end may refer to things that were never
/// defined. One thread's.
class UsableEvents {
 public:
  /// Keeps a reference to `trace`, of which `thread` is one by index.
  UsableEvents(const RecordedTrace& trace, std::size_t thread);

  /// The next events; none at the end. Valid until the next call. Does not throw for a bad file.
  const std::vector<traces::Event>& next();

  /// Why later events are left out, a sentence; empty if there were none.
  [[nodiscard]] const std::string& why_cut() const { return why_cut_; }

 private:
  [[nodiscard]] bool is_usable(const traces::Event& event);
  [[nodiscard]] bool names_defined_things(const traces::Event& event) const;

  const RecordedTrace& trace_;
  std::optional<EventFile> file_;
  std::vector<traces::Event> events_;
  std::vector<bool> inside_;  // by what was entered and not left: whether it is a call of MPI
  std::string why_cut_;
};

}  // namespace huddle::recorder
