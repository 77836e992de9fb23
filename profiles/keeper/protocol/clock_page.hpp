#pragma once

// The memory in which one rank asks for clocks while its program runs, and the keeper of the step
// answers. Described in docs/formats/keeper.md.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::keeper {

/// A rank's request for one clock. In the keeper's hands it is hostile: any two numbers.
struct ClockAsk {
  /// 0: no wish, which counts as the most that there is.
  std::uint32_t khz = 0;
  /// On CLOCK_MONOTONIC; from then on the ask is void, and counts as no wish. 0: never.
  std::uint64_t lease_end_ns = 0;

  friend bool operator==(const ClockAsk&, const ClockAsk&) = default;
};

/// The keeper's decision about a rank's request, as of its last look.
enum class ClockVerdict : std::uint32_t {
  kNoWish = 0,     ///< it asked for nothing
  kAsAsked = 1,    ///< the clock's limit is what it asked for
  kMoved = 2,      ///< the nearest that there is: into the envelope, or up onto a step
  kHigherAsk = 3,  ///< another rank on this clock asks for more, or for nothing
  kSoon = 4,       ///< a clock is lowered so often only: it comes soon
  kLeaseOver = 5,  ///< the lease has ended
  kRefused = 6,    ///< the kernel took no such limit; it is tried again
};

/// The keeper's answer about one clock.
struct ClockAnswer {
  /// The upper limit that was last written, in kHz; 0 if there is none yet.
  std::uint32_t written_khz = 0;
  /// The clock's frequency when it was last read (scaling_cur_freq), in kHz; 0 if not known.
  std::uint32_t achieved_khz = 0;
  /// On CLOCK_MONOTONIC: when the limit was written.
  std::uint64_t changed_at_ns = 0;
  ClockVerdict verdict = ClockVerdict::kNoWish;

  friend bool operator==(const ClockAnswer&, const ClockAnswer&) = default;
};

inline constexpr std::size_t kCacheLine = 64;

/// One clock's line of the page.
struct alignas(kCacheLine) ClockSlot {
  // Written by the rank.
  std::atomic<std::uint64_t> lease_end_ns;
  std::atomic<std::uint32_t> asked_khz;
  // Written by the keeper, which never reads them.
  std::atomic<std::uint32_t> verdict;
  std::atomic<std::uint32_t> written_khz;
  std::atomic<std::uint32_t> achieved_khz;
  std::atomic<std::uint64_t> changed_at_ns;
};

/// The head of the page, before the slots.
struct ClockPageHead {
  // Written by the keeper before the rank sees the page.
  alignas(kCacheLine) std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t clocks;
  /// 1: the keeper does not look at this page until it is woken. Whoever makes it 0 wakes it; the
  /// keeper makes it 1 before it looks.
  alignas(kCacheLine) std::atomic<std::uint32_t> keeper_sleeps;
  /// Number of requests of the rank; wraps around.
  std::atomic<std::uint32_t> asks;
  /// `asks` as the keeper found it when it last looked; by then what had been asked is answered.
  alignas(kCacheLine) std::atomic<std::uint32_t> answered_asks;
  /// 1: there is no keeper any more.
  std::atomic<std::uint32_t> ended;
};

static_assert(sizeof(ClockSlot) == kCacheLine && sizeof(ClockPageHead) == 3 * kCacheLine);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

/// The most clocks of one rank: a node has no more.
inline constexpr std::uint32_t kMostClocks = 1024;

/// A view of a page for both sides, wherever its memory is; a pointer and a size, which never come
/// from the page itself. Nothing here waits, throws or allocates. Asks of several threads of one
/// rank at once are safe, but the last one counts; the keeper's side is for one thread.
class ClockPageView {
 public:
  ClockPageView() = default;
  /// `memory` has size_for(clocks) bytes at a multiple of kCacheLine, and outlives the view.
  ClockPageView(void* memory, std::uint32_t clocks) noexcept
      : head_(static_cast<ClockPageHead*>(memory)), clocks_(clocks) {}

  static std::size_t size_for(std::uint32_t clocks) noexcept {
    return sizeof(ClockPageHead) + clocks * sizeof(ClockSlot);
  }

  [[nodiscard]] std::uint32_t clocks() const noexcept { return clocks_; }
  [[nodiscard]] ClockPageHead& head() const noexcept { return *head_; }
  /// Precondition: `clock` < clocks().
  [[nodiscard]] ClockSlot& slot(std::size_t clock) const noexcept {
    return reinterpret_cast<ClockSlot*>(head_ + 1)[clock];  // NOLINT: they follow it in memory
  }

  /// The rank asks. Returns whether it must wake the keeper.
  [[nodiscard]] bool ask(std::size_t clock, const ClockAsk& ask) const noexcept;
  /// Returns the keeper's last answer.
  [[nodiscard]] ClockAnswer answer_for(std::size_t clock) const noexcept;

  /// The keeper is about to look: each ask from now on wakes it again. Returns how often the rank
  /// has asked, for say_answered().
  [[nodiscard]] std::uint32_t begin_to_look() const noexcept;
  /// Returns the rank's request, each value read once.
  [[nodiscard]] ClockAsk ask_for(std::size_t clock) const noexcept;
  void answer(std::size_t clock, const ClockAnswer& answer) const noexcept;
  void say_answered(std::uint32_t asks) const noexcept;
  void say_ended() const noexcept;

 private:
  ClockPageHead* head_ = nullptr;
  std::uint32_t clocks_ = 0;
};

/// A page in memory that a keeper and a rank share. Ends with the object, for this process.
class ClockPage {
 public:
  ClockPage() = default;
  /// A new page and its file, which can't be made shorter, nor longer, and whose seals can't be
  /// changed: whoever has it can write to it, but never take memory away from the others. Throws
  /// SystemError. Precondition: `clocks` is from 1 to kMostClocks.
  static ClockPage make(std::uint32_t clocks, files::OwnedDescriptor& file);
  /// The page of a file that somebody else made. Throws SystemError, or Error if it is no such
  /// file: of another size, not sealed, or of another version.
  static ClockPage open(const files::OwnedDescriptor& file, std::uint32_t clocks);

  ClockPage(ClockPage&& other) noexcept;
  ClockPage& operator=(ClockPage&& other) noexcept;
  ClockPage(const ClockPage&) = delete;
  ClockPage& operator=(const ClockPage&) = delete;
  ~ClockPage();

  [[nodiscard]] const ClockPageView& view() const noexcept { return view_; }

 private:
  ClockPage(void* memory, std::uint32_t clocks) noexcept : memory_(memory), view_(memory, clocks) {}

  void* memory_ = nullptr;
  ClockPageView view_;
};

}  // namespace huddle::keeper
