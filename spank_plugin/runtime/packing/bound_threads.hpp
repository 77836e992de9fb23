#pragma once

// The threads that Huddle binds, and what their program is told of that: nothing.

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "spank_plugin/runtime/packing/cpu_mask.hpp"

namespace huddle::runtime {

/// Remembers of each thread of this process who has bound it: Huddle, to one PU, of which its
/// program is to notice nothing, or the program, which is obeyed. One for a process, as long as
/// it lives. Safe from any thread; only the first use by a thread allocates.
class BoundThreads {
 public:
  enum class Result : std::uint8_t {
    kDone,
    kForeign,  ///< the thread is not where it was left: the program has bound it, and it stays
    kRefused,  ///< by the kernel, or there is no memory
  };

  constexpr BoundThreads() = default;

  /// From now on threads that nobody has bound are those that may run on `home`.
  void begin(const CpuMask& home) noexcept;
  /// Binds the calling thread to `pu`, if it is at home, or where this bound it last.
  Result bind(std::uint32_t pu) noexcept;
  /// Binds the calling thread to its home, if it is there, or where this bound it last.
  Result return_home() noexcept;
  /// All threads that bind() has bound go home, as do those that were made by one and are where it
  /// was, but not those that the program has bound. Nothing is known of any thread from here on.
  void end() noexcept;
  /// In a child of fork(), whose one thread goes home: the same.
  void leave_in_child() noexcept;

  /// True if `thread` (0: the calling one) is one that bind() has bound: its program is to be told
  /// that it may run on home(). Takes no lock.
  [[nodiscard]] bool is_bound(pid_t thread) const noexcept;
  [[nodiscard]] const CpuMask& home() const noexcept { return home_; }

  /// Calls bind(), a function that binds `thread` (0: the calling one) as the program wants it and
  /// tells if that went well. True if bind() of this had bound it before.
  template <class Bind>
  bool program_binds(pid_t thread, const Bind& bind) noexcept {
    Entry* const entry = is_active() ? entry_for_program(thread) : nullptr;
    if (entry == nullptr) {
      static_cast<void>(bind());
      return false;
    }
    const std::lock_guard lock(entry->mutex);
    if (!bind()) return false;
    return entry->binder.exchange(Binder::kProgram) == Binder::kHuddle;
  }

  class AtHome;

 private:
  // Programs may bind more threads than that; those are forgotten, and go home at the end.
  static constexpr std::size_t kMostEntries = 16384;
  enum class Binder : std::uint8_t { kNobody, kHuddle, kProgram };
  struct Entry {
    std::atomic<pid_t> thread{0};  // 0: of none
    std::atomic<Binder> binder{Binder::kNobody};
    std::mutex mutex;  // of binding
    CpuMask place;     // where bind() bound it last
    Entry* next = nullptr;
  };
  static constinit thread_local Entry* mine_;

  [[nodiscard]] bool is_active() const noexcept { return active_.load(std::memory_order_acquire); }
  [[nodiscard]] Entry* find(pid_t thread) const noexcept;
  Entry* entry_for_program(pid_t thread) noexcept;
  Entry* own_entry() noexcept;
  Entry* take(pid_t thread) noexcept;
  void remember_place(std::uint32_t pu) noexcept;
  void return_heirs() noexcept;
  static void thread_ends(void* entry) noexcept;

  // Nothing of the list is ever removed.
  std::atomic<Entry*> entries_{nullptr};
  std::size_t count_ = 0;
  std::mutex mutex_;  // of taking an entry
  std::atomic<bool> active_{false};
  CpuMask home_;
  std::array<std::atomic<std::uint64_t>, CpuMask::kPus / 64> used_{};  // PUs threads were bound to
};

/// Those of this process.
extern BoundThreads bound_threads;

/// As long as it lives, the calling thread is at home: what it makes meanwhile, threads and
/// processes, begin there. errno stays as it is.
class BoundThreads::AtHome {
 public:
  AtHome() noexcept;
  ~AtHome();
  AtHome(const AtHome&) = delete;
  AtHome& operator=(const AtHome&) = delete;

 private:
  Entry* entry_ = nullptr;  // null: it is there anyway
};

}  // namespace huddle::runtime
