#include "profiles/hardware/counters/event_group.hpp"

#include <errno.h>

#include <utility>

namespace huddle::counters {
namespace {

void add(Reading& reading, std::uint32_t place, const Sample& sample) noexcept {
  Sample& sum = reading.samples[place];
  sum.value += sample.value;
  sum.enabled_ns += sample.enabled_ns;
  sum.running_ns += sample.running_ns;
}

void lose(Reading& reading, std::uint32_t place) noexcept {
  reading.lost |= std::uint32_t{1} << place;
}

}  // namespace

EventGroup::~EventGroup() {
  close();
}

EventGroup::EventGroup(EventGroup&& other) noexcept
    : calls_(other.calls_),
      mode_(other.mode_),
      thread_(other.thread_),
      members_(other.members_),
      size_(std::exchange(other.size_, 0)) {}

EventGroup& EventGroup::operator=(EventGroup&& other) noexcept {
  if (this == &other) return *this;
  close();
  calls_ = other.calls_;
  mode_ = other.mode_;
  thread_ = other.thread_;
  members_ = other.members_;
  size_ = std::exchange(other.size_, 0);
  return *this;
}

// The leader last: without it the kernel would take the others apart and start them anew.
void EventGroup::close() noexcept {
  while (size_ > 0) {
    const Member& member = members_[--size_];
    if (is_open(member)) calls_.close_event(calls_.context, member.descriptor);
  }
}

int EventGroup::add(std::uint32_t place, const EventCode& code) noexcept {
  if (size_ == kMost) return EINVAL;
  EventRequest request;
  request.code = code;
  request.thread = thread_;
  request.leader = size_ == 0 ? -1 : members_.front().descriptor;
  request.user_only = mode_.user_only;
  request.threads_only = mode_.threads_only;
  request.group_read = mode_.group_read;
  Member member{place, code, calls_.open_event(calls_.context, request), 0};
  if (member.descriptor < 0) return -member.descriptor;
  if (const int error = calls_.event_id(calls_.context, member.descriptor, &member.id);
      error != 0) {
    calls_.close_event(calls_.context, member.descriptor);
    return -error;
  }
  members_[size_++] = member;
  return 0;
}

void EventGroup::move_to(std::span<const std::uint32_t> places) noexcept {
  for (std::size_t i = 0; i < size_; ++i) members_[i].place = places[members_[i].place];
}

bool EventGroup::is_open(const Member& member) const noexcept {
  std::uint64_t id = 0;
  return calls_.event_id(calls_.context, member.descriptor, &id) == 0 && id == member.id;
}

void EventGroup::read(Reading& reading) const noexcept {
  if (size_ == 0) return;
  if (!mode_.group_read) {
    read_one_by_one(reading);
  } else if (!read_at_once(reading)) {
    for (const Member& member : members()) lose(reading, member.place);
  }
}

bool EventGroup::read_at_once(Reading& reading) const noexcept {
  if (!is_open(members_.front())) return false;
  struct {
    std::uint64_t members;
    std::uint64_t enabled_ns;
    std::uint64_t running_ns;
    std::uint64_t values[kMost];
  } counts{};
  const long got =
      calls_.read_event(calls_.context, members_.front().descriptor, &counts, sizeof counts);
  // A member that the program has closed has left the group: the counts don't show which one.
  if (got != static_cast<long>((3 + size_) * sizeof(std::uint64_t))) return false;
  for (std::size_t i = 0; i < size_; ++i)
    counters::add(reading, members_[i].place,
                  {counts.values[i], counts.enabled_ns, counts.running_ns});
  return true;
}

void EventGroup::read_one_by_one(Reading& reading) const noexcept {
  for (const Member& member : members()) {
    Sample sample;
    static_assert(sizeof sample == 3 * sizeof(std::uint64_t), "the kernel's layout");
    const bool good = is_open(member) && calls_.read_event(calls_.context, member.descriptor,
                                                           &sample, sizeof sample) == sizeof sample;
    if (good)
      counters::add(reading, member.place, sample);
    else
      lose(reading, member.place);
  }
}

}  // namespace huddle::counters
