#include "profiles/recorder/trace/event_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
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

const std::vector<Event>& EventFile::next() {
  events_.clear();
  fill();
  const std::uint8_t* at = bytes_.data();
  const std::uint8_t* const end = at + bytes_.size();
  try {
    for (Event event; unpacker_.unpack(at, end, event);) events_.push_back(event);
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

}  // namespace huddle::recorder
