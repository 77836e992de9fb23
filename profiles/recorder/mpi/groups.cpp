#include "profiles/recorder/mpi/groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace huddle::recorder {
namespace {

// Up to here a rank for each member costs less than a table of those that were asked for.
constexpr int kFewMembers = 4096;

class WorldGroup {
 public:
  WorldGroup() { HUDDLE_REAL(Comm_group)(world_communicator(), &group_); }
  ~WorldGroup() { HUDDLE_REAL(Group_free)(&group_); }
  WorldGroup(const WorldGroup&) = delete;
  WorldGroup& operator=(const WorldGroup&) = delete;
  [[nodiscard]] MPI_Group get() const { return group_; }

 private:
  MPI_Group group_{};
};

}  // namespace

GroupRanks::GroupRanks(MPI_Group group) : group_(group), owns_(true) {
  HUDDLE_REAL(Group_size)(group_, &size_);
  if (size_ <= kFewMembers) few_.assign(static_cast<std::size_t>(size_), kUnknown);
}

GroupRanks::GroupRanks(GroupRanks&& other) noexcept
    : group_(other.group_),
      owns_(std::exchange(other.owns_, false)),
      size_(other.size_),
      few_(std::move(other.few_)),
      many_(std::move(other.many_)) {}

GroupRanks& GroupRanks::operator=(GroupRanks&& other) noexcept {
  std::swap(group_, other.group_);
  std::swap(owns_, other.owns_);
  std::swap(size_, other.size_);
  few_.swap(other.few_);
  many_.swap(other.many_);
  return *this;
}

GroupRanks::~GroupRanks() {
  if (owns_) HUDDLE_REAL(Group_free)(&group_);
}

int GroupRanks::look_up(int member) {
  return few_[static_cast<std::size_t>(member)] = translated(member);
}

int GroupRanks::look_up_among_many(int member) {
  const auto place = many_.find(member);
  if (place != many_.end()) return place->second;
  return many_.emplace(member, translated(member)).first->second;
}

int GroupRanks::translated(int member) const {
  const WorldGroup world;
  int rank = MPI_UNDEFINED;
  HUDDLE_REAL(Group_translate_ranks)(group_, 1, &member, world.get(), &rank);
  return rank == MPI_UNDEFINED ? kElsewhere : rank;
}

RankSet GroupRanks::world_ranks() const {
  std::vector<std::uint32_t> ranks = world_ranks_of(group_);
  std::erase(ranks, UINT32_MAX);
  return RankSet(std::move(ranks));
}

std::vector<std::uint32_t> world_ranks_of(MPI_Group group) {
  int size = 0;
  HUDDLE_REAL(Group_size)(group, &size);
  std::vector<int> members(static_cast<std::size_t>(size));
  std::iota(members.begin(), members.end(), 0);
  std::vector<int> found(members.size(), MPI_UNDEFINED);
  const WorldGroup world;
  HUDDLE_REAL(Group_translate_ranks)(group, size, members.data(), world.get(), found.data());
  std::vector<std::uint32_t> ranks(found.size());
  std::transform(found.begin(), found.end(), ranks.begin(), [](int rank) {
    return rank == MPI_UNDEFINED ? UINT32_MAX : static_cast<std::uint32_t>(rank);
  });
  return ranks;
}

}  // namespace huddle::recorder
