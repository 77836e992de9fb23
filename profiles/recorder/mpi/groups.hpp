#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/rank_set.hpp"

namespace huddle::recorder {

/// Which rank of MPI_COMM_WORLD each member of a group is. Members are looked up when they are
/// asked for, so that memory goes with the partners that a rank has. One thread's.
class GroupRanks {
 public:
  GroupRanks() = default;
  /// Takes `group` and frees it. MPI_GROUP_NULL is not allowed.
  explicit GroupRanks(MPI_Group group);
  GroupRanks(GroupRanks&& other) noexcept;
  GroupRanks& operator=(GroupRanks&& other) noexcept;
  GroupRanks(const GroupRanks&) = delete;
  GroupRanks& operator=(const GroupRanks&) = delete;
  ~GroupRanks();

  [[nodiscard]] int size() const { return size_; }

  /// Nothing for a process of another world (a spawned one). `member` < size().
  std::optional<Rank> world_rank(int member) {
    if (static_cast<std::size_t>(member) < few_.size()) {
      const int known = few_[static_cast<std::size_t>(member)];
      return as_rank(known == kUnknown ? look_up(member) : known);
    }
    return as_rank(look_up_among_many(member));
  }

  /// All members that belong to MPI_COMM_WORLD.
  [[nodiscard]] RankSet world_ranks() const;

 private:
  static constexpr int kUnknown = -2;
  static constexpr int kElsewhere = -1;

  static std::optional<Rank> as_rank(int world) {
    if (world < 0) return std::nullopt;
    return Rank{static_cast<std::uint32_t>(world)};
  }
  int look_up(int member);
  int look_up_among_many(int member);
  [[nodiscard]] int translated(int member) const;

  MPI_Group group_{};
  bool owns_ = false;
  int size_ = 0;
  std::vector<int> few_;               // of small groups, by member
  std::unordered_map<int, int> many_;  // of large ones
};

/// Which rank of MPI_COMM_WORLD each member of `group` is, by rank in it; UINT32_MAX for a process
/// of another world.
std::vector<std::uint32_t> world_ranks_of(MPI_Group group);

}  // namespace huddle::recorder
