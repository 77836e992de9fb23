#pragma once

// Periods in what a program does: sequences of passes that come again, alike in kind and length.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace huddle::recorder {

/// A pass of a phase: the group that it is counted under, and how long it took, in any unit.
struct GroupPass {
  std::uint64_t group = 0;
  std::uint64_t ticks = 0;
};

/// A pattern that comes again in a sequence of passes.
struct PassPeriod {
  std::size_t length = 0;  ///< passes in a period; at least 2
  std::size_t first = 0;   ///< the index of the pass from which on it holds, to the end
};

/// Finds the period of the last passes, from the oldest to the newest; nothing if there is none.
///
/// A length p is a candidate if passes p apart are of the same group (one in 50 may differ), and if
/// that would not come about by chance. Two things speak against chance: that the groups are the
/// same, each time with the probability that two passes of the sequence have one group; and that
/// passes p apart differ less in the logarithm of their length than passes of the same group in any
/// order do, judged by Chernoff's bound of the chi-squared distribution, unless passes less far
/// apart are as much alike: then lengths only drift. Where all passes are alike there is no period.
/// Of the candidates the shortest counts whose passes are as alike as those of the best one,
/// differences of 7 % apart. So a period is found in four of its lengths where lengths scatter by 5
/// % and differ by more than that within it; of two or three passes a little later.
///
/// Takes a time that grows with the square of the number of passes.
std::optional<PassPeriod> find_period(std::span<const GroupPass> passes);

/// Keeps the last passes of a thread, and looks for periods now and then: in the first few of them,
/// and when all that are kept have been replaced, but for at most 1 in 300 of the passes' time.
/// Nothing here allocates but period(). One thread's.
class PassPeriods {
 public:
  static constexpr std::size_t kKept = 1024;
  struct Found {
    std::uint64_t first = 0;   ///< the number of a pass, from 0 on, from which on it was seen
    std::uint64_t passes = 0;  ///< in how many
    std::vector<std::uint64_t> groups;  ///< of one period, from `first` on
  };

  /// `pass.ticks` are TickClock's.
  void add(const GroupPass& pass) noexcept {
    kept_[count_ % kKept] = pass;
    ++count_;
    elapsed_ += pass.ticks;
    if (count_ == next_look_) [[unlikely]]
      look_if_affordable();
  }
  /// In how many passes the period of known() was seen; 0: there is none.
  [[nodiscard]] std::uint64_t known_passes() const noexcept {
    return longest_.passes * kLeastPart < looked_at_ ? 0 : longest_.passes;
  }
  /// As period(), by the looks that have been taken. Throws std::bad_alloc.
  [[nodiscard]] std::optional<Found> known() const;
  /// Takes a last look. The period that was seen in the most passes so far; none if there was none,
  /// or only in fewer than a quarter of the passes that were looked at: what comes again within
  /// each period of a longer one, which is not found, is no period of the program.
  /// Throws std::bad_alloc.
  [[nodiscard]] std::optional<Found> period();

 private:
  // One in so many of the passes that were looked at.
  static constexpr std::uint64_t kLeastPart = 4;

  // A period that was found.
  struct Known {
    std::size_t length = 0;
    std::uint64_t first = 0;
    std::uint64_t until = 0;  // behind the last pass that it was seen in
    std::uint64_t passes = 0;
    std::array<std::uint64_t, kKept / 3> groups{};
  };

  [[gnu::cold]] void look_if_affordable() noexcept;
  void look() noexcept;
  void note(const PassPeriod& period, std::uint64_t oldest,
            std::span<const GroupPass> passes) noexcept;

  std::array<GroupPass, kKept> kept_{};
  std::uint64_t count_ = 0;
  std::uint64_t next_look_ = 32;
  std::uint64_t elapsed_ = 0;  // in passes since the last look, in ticks
  std::uint64_t cost_ = 0;     // of that
  std::uint64_t looked_at_ = 0;  // passes, each once
  std::uint64_t looked_until_ = 0;
  Known current_;
  Known longest_;
};

}  // namespace huddle::recorder
