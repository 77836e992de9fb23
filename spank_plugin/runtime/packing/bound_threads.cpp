#include "spank_plugin/runtime/packing/bound_threads.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <exception>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "profiles/files/folder_names.hpp"

namespace huddle::runtime {
namespace {

constinit pthread_key_t ending_key{};

pid_t own_number() noexcept {
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

std::vector<pid_t> threads() {
  std::vector<pid_t> list;
  for (const std::string& name : files::names_in("/proc/self/task")) {
    pid_t thread = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (failure == std::errc{} && end == name.data() + name.size()) list.push_back(thread);
  }
  return list;
}

bool is_of_process(pid_t thread) noexcept {
  std::array<char, 64> path{};
  fmt::format_to_n(path.data(), path.size() - 1, "/proc/self/task/{}", thread);
  return ::access(path.data(), F_OK) == 0;
}

}  // namespace

constinit BoundThreads bound_threads;

[[gnu::tls_model("initial-exec")]] constinit thread_local BoundThreads::Entry* BoundThreads::mine_ =
    nullptr;

void BoundThreads::begin(const CpuMask& home) noexcept {
  static const bool has_key = ::pthread_key_create(&ending_key, thread_ends) == 0;
  home_ = home;
  for (auto& word : used_) word.store(0, std::memory_order_relaxed);
  active_.store(has_key, std::memory_order_release);
}

BoundThreads::Entry* BoundThreads::find(pid_t thread) const noexcept {
  Entry* entry = entries_.load(std::memory_order_acquire);
  while (entry != nullptr && entry->thread.load(std::memory_order_relaxed) != thread)
    entry = entry->next;
  return entry;
}

BoundThreads::Entry* BoundThreads::take(pid_t thread) noexcept {
  const std::lock_guard lock(mutex_);
  Entry* entry = find(thread);
  if (entry == nullptr) entry = find(0);
  if (entry != nullptr) {
    entry->thread.store(thread, std::memory_order_relaxed);
    return entry;
  }
  entry = count_ < kMostEntries ? new (std::nothrow) Entry : nullptr;
  if (entry == nullptr) return nullptr;
  ++count_;
  entry->thread.store(thread, std::memory_order_relaxed);
  entry->next = entries_.load(std::memory_order_relaxed);
  entries_.store(entry, std::memory_order_release);
  return entry;
}

BoundThreads::Entry* BoundThreads::own_entry() noexcept {
  if (mine_ == nullptr) {
    mine_ = take(own_number());
    if (mine_ != nullptr) ::pthread_setspecific(ending_key, mine_);
  }
  return mine_;
}

// A child of vfork() has the memory of its parent, and is another thread.
BoundThreads::Entry* BoundThreads::entry_for_program(pid_t thread) noexcept {
  if (thread == 0) thread = own_number();
  if (Entry* const entry = find(thread); entry != nullptr) return entry;
  return is_of_process(thread) ? take(thread) : nullptr;
}

void BoundThreads::thread_ends(void* entry) noexcept {
  auto& own = *static_cast<Entry*>(entry);
  const std::lock_guard lock(own.mutex);
  if (own.binder.load() == Binder::kHuddle) static_cast<void>(bound_threads.home_.give_to(0));
  own.binder.store(Binder::kNobody);
  own.thread.store(0);
  mine_ = nullptr;
}

void BoundThreads::remember_place(std::uint32_t pu) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << pu % 64;
  std::atomic<std::uint64_t>& word = used_[pu / 64];
  if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit);
}

// The order is that of is_bound(): a thread that is bound to one PU must never seem to be bound by
// nobody.
BoundThreads::Result BoundThreads::bind(std::uint32_t pu) noexcept {
  Entry* const own = own_entry();
  if (own == nullptr || !is_active() || pu >= CpuMask::kPus) return Result::kRefused;
  const std::lock_guard lock(own->mutex);
  const bool is_ours = own->binder.load() == Binder::kHuddle;
  CpuMask now;
  if (!now.read_of(0)) return Result::kRefused;
  if (now != (is_ours ? own->place : home_)) {
    own->binder.store(Binder::kProgram);
    return Result::kForeign;
  }
  const CpuMask place = CpuMask::of(pu);
  remember_place(pu);
  own->binder.store(Binder::kHuddle);
  if (!place.give_to(0)) {
    if (!is_ours) own->binder.store(Binder::kNobody);
    return Result::kRefused;
  }
  own->place = place;
  return Result::kDone;
}

BoundThreads::Result BoundThreads::return_home() noexcept {
  Entry* const own = own_entry();
  if (own == nullptr) return Result::kRefused;
  const std::lock_guard lock(own->mutex);
  CpuMask now;
  if (!now.read_of(0)) return Result::kRefused;
  if (now == home_) {
    own->binder.store(Binder::kNobody);
    return Result::kDone;
  }
  if (own->binder.load() != Binder::kHuddle || now != own->place) {
    own->binder.store(Binder::kProgram);
    return Result::kForeign;
  }
  if (!home_.give_to(0)) return Result::kRefused;
  own->binder.store(Binder::kNobody);
  return Result::kDone;
}

void BoundThreads::end() noexcept {
  if (!is_active()) return;
  for (Entry* entry = entries_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->next) {
    const std::lock_guard lock(entry->mutex);
    const pid_t thread = entry->thread.load();
    if (thread == 0 || entry->binder.load() != Binder::kHuddle) continue;
    CpuMask now;
    if (now.read_of(thread) && now == entry->place) static_cast<void>(home_.give_to(thread));
    entry->binder.store(Binder::kNobody);
  }
  return_heirs();
  active_.store(false);
}

// Threads whose maker was bound when it made them past the C library's functions. One that is made
// meanwhile inherits the mask of its maker, old or new: so lists are read until one has no new
// thread.
void BoundThreads::return_heirs() noexcept {
  try {
    std::set<pid_t> seen;
    for (bool news = true; news;) {
      news = false;
      for (const pid_t thread : threads()) {
        if (!seen.insert(thread).second) continue;
        news = true;
        const Entry* const entry = find(thread);
        if (entry != nullptr && entry->binder.load() == Binder::kProgram) continue;
        CpuMask now;
        const std::uint32_t pu = now.read_of(thread) ? now.only_one() : CpuMask::kPus;
        if (pu < CpuMask::kPus && (used_[pu / 64].load() >> pu % 64 & 1) != 0)
          static_cast<void>(home_.give_to(thread));
      }
    }
  } catch (const std::exception&) {  // then they stay where they are
  }
}

// No lock: a thread that held one is not there any more.
void BoundThreads::leave_in_child() noexcept {
  if (is_active() && is_bound(0)) static_cast<void>(home_.give_to(0));
  active_.store(false);
  mine_ = nullptr;
}

bool BoundThreads::is_bound(pid_t thread) const noexcept {
  const Entry* entry = mine_;
  if (thread != 0 && is_active()) entry = find(thread);
  return entry != nullptr && entry->binder.load(std::memory_order_acquire) == Binder::kHuddle;
}

BoundThreads::AtHome::AtHome() noexcept {
  Entry* const own = mine_;
  if (own == nullptr || own->binder.load() != Binder::kHuddle) return;
  const std::lock_guard lock(own->mutex);
  if (own->binder.load() == Binder::kHuddle && bound_threads.home_.give_to(0)) entry_ = own;
}

BoundThreads::AtHome::~AtHome() {
  if (entry_ == nullptr) return;
  const std::lock_guard lock(entry_->mutex);
  if (entry_->binder.load() == Binder::kHuddle) static_cast<void>(entry_->place.give_to(0));
}

}  // namespace huddle::runtime
