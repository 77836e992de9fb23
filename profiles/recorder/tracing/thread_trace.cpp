#include "profiles/recorder/tracing/thread_trace.hpp"

namespace huddle::recorder {

namespace {

constexpr std::uint32_t kUnknown = RecordedTrace::kNoCallPath;

traces::Event of_region(traces::EventKind kind, std::uint32_t operation, std::uint32_t path,
                        std::uint64_t time) {
  traces::Event event;
  event.time = time;
  event.subject = operation;
  event.tag = path;
  event.kind = kind;
  return event;
}

}  // namespace

void ThreadTrace::enter(std::uint32_t operation, const void* return_address, const void* frame,
                        std::uint64_t time) noexcept {
  const std::uint32_t path = path_or_none(return_address, frame);
  if (poll_left_ != 0) [[unlikely]] {
    if (operation == operation_ && path == path_ &&
        time - poll_left_ <= shared_.longest_pause_of_polls) {
      poll_left_ = 0;
      return;
    }
    end_poll();
  }
  operation_ = operation;
  path_ = path;
  append(of_region(traces::EventKind::kEnter, operation, path, time));
}

void ThreadTrace::enter_region(std::uint32_t region, const void* return_address, const void* frame,
                               std::uint64_t time) noexcept {
  const std::uint32_t path = path_or_none(return_address, frame);
  append_of_region(of_region(traces::EventKind::kEnter, shared_.operations + region, path, time));
}

void ThreadTrace::leave(std::uint64_t time) noexcept {
  append(of_region(traces::EventKind::kLeave, operation_, path_, time));
}

void ThreadTrace::end_poll() noexcept {
  if (poll_left_ != 0) leave(poll_left_);
  poll_left_ = 0;
}

std::uint32_t ThreadTrace::path_or_none(const void* return_address, const void* frame) noexcept {
  try {
    return path_of(return_address, frame);
  } catch (...) {
    shared_.gave_up.store(true);
    return kUnknown;
  }
}

std::uint32_t ThreadTrace::path_of(const void* return_address, const void* frame) {
  const CallSite& site = sites_->find(0, "call", return_address, frame);
  if (site.number < path_numbers_.size() && path_numbers_[site.number] != kUnknown) [[likely]]
    return path_numbers_[site.number];
  path_numbers_.resize(std::max<std::size_t>(path_numbers_.size(), site.number + 1), kUnknown);
  return path_numbers_[site.number] = shared_.paths.number_of(site.addresses);
}

}  // namespace huddle::recorder
