#pragma once

// Binds the threads of a program's OpenMP team to fewer PUs than the team has threads, while the
// program runs. The team keeps its size, so that nothing that a program knows of it changes.

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::runtime {

/// Where the threads of one team run. One for a process. A thread binds itself, when the
/// configuration that its region was begun with is another than that of its last region: a system
/// call for a change, a comparison otherwise.
///
/// A program that asks where its threads may run is told of their home, and what it makes, threads
/// and processes, begins there, as far as it calls the C library for that (affinity_calls.cpp). A
/// child of fork() is put back at once.
class TeamPacking {
 public:
  static constexpr std::uint32_t kMostThreads = 1024;
  /// The configuration of a region that is not packed.
  static constexpr std::uint32_t kHome = 0;

  enum class End : std::uint8_t {
    kNone,
    kFinished,
    kNothingToPack,  ///< there is one PU, or it is not known which there are
    kBoundItself,    ///< a thread was bound by the program meanwhile; it stays where it is
    kRefused,        ///< the system refused to bind one
  };

  /// Where this thread may run now is where the team's threads go back to. The calling thread is
  /// the team's leader: only regions that it begins, outside of others, are packed.
  TeamPacking() noexcept;
  /// end(), if that was not called.
  ~TeamPacking();
  TeamPacking(const TeamPacking&) = delete;
  TeamPacking& operator=(const TeamPacking&) = delete;

  /// From the leader's next region on thread i of a team of places.size() threads runs on PU
  /// places[i]; without places, or if one of them is not the process's, at home. By the leader,
  /// outside of regions.
  void pack(const std::vector<std::uint32_t>& places) noexcept;

  /// Called by a thread that begins a region for `team` threads; `level`: in how many regions it
  /// is. The configuration that each thread of the region is to follow(): kHome for a team of
  /// another size, a nested region, or a region of another thread. Safe from any thread.
  [[nodiscard]] std::uint32_t begin_region(std::uint32_t team, std::uint32_t level) const noexcept;

  /// Called by each thread at the begin of a region's function; `thread`: its number in the team.
  void follow(std::uint32_t configuration, std::uint32_t thread) noexcept {
    const Mine& mine = mine_;
    if (mine.configuration == configuration && (configuration == kHome || mine.thread == thread))
      return;
    change(configuration, thread);
  }

  /// Puts back all threads of the process that still are on one of the PUs that threads were bound
  /// to, for good. By the leader, outside of regions.
  void end() noexcept { end(End::kFinished); }
  [[nodiscard]] End ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
  /// For people; empty for kNone and kFinished.
  [[nodiscard]] static const char* text_of(End end) noexcept;

  /// A thread that was packed was bound by another one: nothing is packed from here on. Safe from
  /// any thread.
  static void end_by_program() noexcept;
  /// The calling thread has bound itself, or went home: at its next region it is looked where it
  /// is.
  static void thread_left() noexcept { mine_.configuration = UINT32_MAX; }

  /// True if the calling thread is the leader.
  [[nodiscard]] bool is_leader() const noexcept;
  [[nodiscard]] const PuSet& home() const { return home_; }

 private:
  /// A thread's knowledge of itself.
  struct Mine {
    std::uint32_t configuration = UINT32_MAX;  // it has not followed any
    std::uint32_t thread = 0;
    std::int32_t number = 0;  // the system's, once it was asked for
  };
  static constinit thread_local Mine mine_;

  void change(std::uint32_t configuration, std::uint32_t thread) noexcept;
  void end(End why) noexcept;
  static void put_child_back() noexcept;

  PuSet home_;
  std::int32_t leader_;
  std::uint32_t team_ = 0;
  // Written by the leader between regions, read by threads of a region that it begins afterwards.
  std::array<std::atomic<std::uint32_t>, kMostThreads> places_{};
  std::atomic<std::uint32_t> configuration_ = kHome;
  std::atomic<bool> has_packed_ = false;
  std::atomic<End> ended_ = End::kNone;
};

}  // namespace huddle::runtime
