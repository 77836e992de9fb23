#include "profiles/recorder/profile/parts.hpp"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "profiles/recorder/process/signals.hpp"

namespace huddle::recorder {

Parts::Parts(std::filesystem::path profile, std::uint64_t run, std::uint32_t rank,
             std::chrono::system_clock::time_point started, Place place)
    : profile_(std::move(profile)),
      folder_(profile_, run),
      rank_(rank),
      started_(started),
      place_(place) {}

// If the profile was written since the run began although there are no parts, another rank has
// ended the run.
bool Parts::ended_before_first_part() const {
  std::error_code absent;
  const auto time = std::filesystem::last_write_time(profile_, absent);
  return !absent && std::chrono::file_clock::to_sys(time) >= started_ &&
         !folder_.exists();
}

bool Parts::write(const Piece& piece) {
  if (written_ == 0) {
    if (ended_before_first_part()) return false;
    folder_.make();
  } else if (!folder_.exists()) {
    return false;
  }
  const std::uint64_t number = ++written_;
  PartsFolder::write(folder_.file_of(rank_, number % 2 == 0), piece.packed(number));
  return true;
}

void Parts::make_profile(const Profile& description, Encoding encoding, RunState state) const {
  const MergeOrder order{state, encoding, encode_profile_head(description, encoding)};
  if (place_ == Place::kSpool)
    folder_.leave_order(order);
  else
    folder_.merge(profile_, order);
}

void Parts::remove() noexcept {
  if (written_ == 0) return;
  for (const bool second : {false, true}) ::unlink(folder_.file_of(rank_, second).c_str());
  ::rmdir(folder_.path().c_str());  // the last rank succeeds
}

void Parts::remove_all() const noexcept {
  try {
    folder_.remove();
  } catch (...) {  // it is not there
  }
}

void Parts::remove_stale(const std::filesystem::path& folder,
                         std::filesystem::file_time_type before) noexcept {
  try {
    const auto written_since = [&](const std::filesystem::path& parts) {
      for (const auto& part : std::filesystem::directory_iterator(parts))
        if (part.last_write_time() >= before) return true;
      return std::filesystem::last_write_time(parts) >= before;
    };
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.is_directory() && !entry.is_symlink() &&
          PartsFolder::profile_of(entry.path().filename().string()) && !written_since(entry.path()))
        PartsFolder(entry.path()).remove();
  } catch (...) {  // the next run tries again
  }
}

Snapshots::Snapshots(std::function<void()> action, Duration first, Duration period)
    : action_(std::move(action)) {
  const NoSignals no_signals;
  thread_ = std::thread([this, first, period] { run(first, period); });
  pthread_setname_np(thread_.native_handle(), "huddle");
}

Snapshots::~Snapshots() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Snapshots::run(Duration first, Duration period) {
  std::unique_lock lock(mutex_);
  for (Duration pause = first; !wake_.wait_for(lock, pause, [this] { return stopped_; });
       pause = period) {
    lock.unlock();
    action_();
    lock.lock();
  }
}

}  // namespace huddle::recorder
