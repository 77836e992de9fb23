#include "profiles/recorder/trace/event_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

class Reader {
 public:
  Reader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = this->byte();
      number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return number;
    }
    throw Error("a number of more than ten bytes");
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
  std::uint8_t byte() {
    if (at_ == end_) {
      whole_ = false;
      return 0;
    }
    return *at_++;
  }
  [[nodiscard]] const std::uint8_t* at() const { return at_; }
  /// Nothing was missing.
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool whole_ = true;
};

traces::Collective collective_of(std::uint8_t byte) {
  if (byte > static_cast<std::uint8_t>(traces::Collective::kOther))
    throw Error(fmt::format("a collective of kind {}", byte));
  return static_cast<traces::Collective>(byte);
}

}  // namespace

bool EventUnpacker::unpack(const std::uint8_t*& at, const std::uint8_t* end, traces::Event& event) {
  if (at == end) return false;
  Reader reader(at, end);
  const std::uint8_t kind = reader.byte();
  if (kind > static_cast<std::uint8_t>(traces::EventKind::kWindowUnlocked))
    throw Error(fmt::format("an event of kind {}", kind));
  const std::uint8_t fields = packing::kFields[kind];
  traces::Event one;
  one.kind = static_cast<traces::EventKind>(kind);
  one.time = time_ + reader.number();
  if (one.kind == traces::EventKind::kLeave) {
    const traces::Event entered = entered_.empty() ? traces::Event{} : entered_.back();
    one.subject = entered.subject;
    one.tag = entered.tag;
  }
  if ((fields & packing::kSubject) != 0) one.subject = reader.small();
  if ((fields & packing::kPeer) != 0) one.peer = reader.small() - 1U;
  if ((fields & packing::kTag) != 0) one.tag = reader.small() - 1U;
  if ((fields & packing::kBytes) != 0) one.bytes = reader.number();
  if ((fields & packing::kRequest) != 0) one.request = reader.number();
  if ((fields & packing::kGroup) != 0) one.group = reader.small() - 1U;
  if ((fields & packing::kCollective) != 0) one.collective = collective_of(reader.byte());
  if (!reader.whole()) return false;
  if (one.kind == traces::EventKind::kEnter) {
    if (entered_.size() >= kDeepest)
      throw Error(fmt::format("more than {} regions in each other", kDeepest));
    entered_.push_back(one);
  } else if (one.kind == traces::EventKind::kLeave && !entered_.empty()) {
    entered_.pop_back();
  }
  time_ = one.time;
  at = reader.at();
  event = one;
  return true;
}

namespace {

constexpr std::uint64_t kPortion = 65536;  // bytes

}  // namespace

EventFile::EventFile(const RecordedThread& thread)
    : name_(thread.file.string()),
      file_(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), name_),
      left_(thread.bytes),
      cut_(thread.bytes == RecordedThread::kUnknown) {
  if (file_.descriptor() < 0) throw SystemError("open", name_, errno);
  const struct stat status = file_.status();
  if (!S_ISREG(status.st_mode)) throw FormatError(name_, "its kind", "no plain file", "one");
  if (cut_) left_ = static_cast<std::uint64_t>(status.st_size);
}

const std::vector<traces::Event>& EventFile::next() {
  events_.clear();
  fill();
  const std::uint8_t* at = bytes_.data();
  const std::uint8_t* const end = at + bytes_.size();
  try {
    for (traces::Event event; unpacker_.unpack(at, end, event);) events_.push_back(event);
  } catch (const Error& failure) {
    // Those before it first: the next call comes here again.
    if (events_.empty())
      throw FormatError(name_, fmt::format("{} bytes before the end", left_ + bytes_.size()),
                        failure.what(), "events");
  }
  bytes_.erase(bytes_.begin(), bytes_.begin() + (at - bytes_.data()));
  if (events_.empty() && !bytes_.empty() && !cut_)
    throw FormatError(name_, "the end", "a part of an event", "a whole one");
  return events_;
}

// Behind what is left of an event that is not whole yet.
void EventFile::fill() {
  const auto wanted = static_cast<std::size_t>(std::min(left_, kPortion));
  const std::string text = file_.read(wanted);
  if (text.size() != wanted)
    throw FormatError(name_, "the file", fmt::format("its end {} bytes early", left_ - text.size()),
                      "the events that were written to it");
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  left_ -= wanted;
}

namespace {

bool names_a_communicator(traces::EventKind kind) {
  switch (kind) {
    case traces::EventKind::kSend:
    case traces::EventKind::kIsend:
    case traces::EventKind::kRecv:
    case traces::EventKind::kIrecv:
    case traces::EventKind::kCollectiveEnd:
    case traces::EventKind::kCollectiveComplete:
    case traces::EventKind::kFileCollective:
      return true;
    default:
      return false;
  }
}

bool names_a_window(traces::EventKind kind) {
  return kind == traces::EventKind::kOneSided || kind == traces::EventKind::kWindowLocked ||
         kind == traces::EventKind::kWindowUnlocked ||
         (kind >= traces::EventKind::kWindowCreated && kind <= traces::EventKind::kWindowWait);
}

bool names_a_team(traces::EventKind kind) {
  return kind == traces::EventKind::kTeamBegin || kind == traces::EventKind::kTeamEnd;
}

bool names_a_group(traces::EventKind kind) {
  return kind == traces::EventKind::kWindowPost || kind == traces::EventKind::kWindowStart;
}

}  // namespace

UsableEvents::UsableEvents(const RecordedTrace& trace, std::size_t thread) : trace_(trace) {
  try {
    file_.emplace(trace.threads.at(thread));
  } catch (const Error&) {
    why_cut_ = "events are missing: their file can't be read";
  }
}

const std::vector<traces::Event>& UsableEvents::next() {
  events_.clear();
  if (!why_cut_.empty()) return events_;
  try {
    const std::vector<traces::Event>& read = file_->next();
    const auto end = std::find_if_not(read.begin(), read.end(),
                                      [&](const traces::Event& one) { return is_usable(one); });
    events_.assign(read.begin(), end);
  } catch (const Error&) {
    why_cut_ = "events are missing: their file is damaged, and not read beyond that place";
  }
  return events_;
}

// The recorder has nothing of OpenMP's in a call of MPI, and nothing of MPI's outside of all calls.
bool UsableEvents::is_usable(const traces::Event& event) {
  const bool in_call = !inside_.empty() && inside_.back();
  const bool of_openmp = event.kind == traces::EventKind::kEnter || names_a_team(event.kind);
  const bool fits =
      event.kind == traces::EventKind::kLeave ? !inside_.empty() : in_call != of_openmp;
  if (!fits)
    why_cut_ = "events are missing: their file is damaged, and not read beyond that place";
  else if (!names_defined_things(event))
    why_cut_ =
        "its last events are left out: the run ended before it was written down what they name";
  if (!why_cut_.empty()) return false;
  if (event.kind == traces::EventKind::kEnter)
    inside_.push_back(event.subject < trace_.operations.size());
  else if (event.kind == traces::EventKind::kLeave)
    inside_.pop_back();
  return true;
}

bool UsableEvents::names_defined_things(const traces::Event& event) const {
  if (event.kind == traces::EventKind::kEnter)
    return event.subject < trace_.operations.size() + trace_.regions.size() &&
           (event.tag == RecordedTrace::kNoCallPath || event.tag < trace_.call_paths.size());
  if (names_a_communicator(event.kind) && event.subject >= trace_.communicators.size())
    return false;
  if (names_a_team(event.kind)) return event.subject < trace_.teams.size();
  if (names_a_window(event.kind) && event.subject >= trace_.windows.size()) return false;
  return !names_a_group(event.kind) || event.group == traces::kNobody ||
         event.group < trace_.groups.size();
}

}  // namespace huddle::recorder
