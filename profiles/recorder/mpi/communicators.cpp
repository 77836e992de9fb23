#include "profiles/recorder/mpi/communicators.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {

namespace {

// Up to this size an array by member costs less than a table of those that were looked up.
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

constinit std::atomic<std::uint64_t> handle_generation{0};

namespace {

// Empties a cache that was filled before handles were freed.
template <class Map>
void renew(Map& known, std::uint64_t& seen) {
  const std::uint64_t now = handle_generation.load(std::memory_order_acquire);
  if (now == seen) return;
  known.clear();
  seen = now;
}

UsedCommunicator describe(MPI_Comm handle) {
  UsedCommunicator communicator;
  communicator.handle = handle;
  communicator.world = handle == world_communicator();
  HUDDLE_REAL(Comm_rank)(handle, &communicator.rank);
  HUDDLE_REAL(Comm_size)(handle, &communicator.participants);
  communicator.peer_count = communicator.participants;
  int inter = 0;
  HUDDLE_REAL(Comm_test_inter)(handle, &inter);
  communicator.inter = inter != 0;
  if (communicator.inter) {
    HUDDLE_REAL(Comm_remote_size)(handle, &communicator.peer_count);
    communicator.participants += communicator.peer_count;
  }
  int world = communicator.participants;
  HUDDLE_REAL(Comm_size)(world_communicator(), &world);
  communicator.recorded_participants = std::min(communicator.participants, world);
  if (communicator.world) return communicator;
  MPI_Group peers{};
  if (communicator.inter)
    HUDDLE_REAL(Comm_remote_group)(handle, &peers);
  else
    HUDDLE_REAL(Comm_group)(handle, &peers);
  communicator.peers = GroupRanks(peers);
  return communicator;
}

// Both sides of an intercommunicator give it the same name.
Communicator members_of(const UsedCommunicator& used) {
  Communicator communicator;
  communicator.members = used.peers.world_ranks();
  if (!used.inter) return communicator;
  MPI_Group own{};
  HUDDLE_REAL(Comm_group)(used.handle, &own);
  communicator.others = GroupRanks(own).world_ranks();
  const auto first = [](const RankSet& set) {
    return set.empty() ? ~std::uint32_t{0} : set.runs().front().first;
  };
  if (first(communicator.others) < first(communicator.members))
    std::swap(communicator.members, communicator.others);
  return communicator;
}

}  // namespace

void CommunicatorTable::add(Communicator communicator) {
  const std::lock_guard lock(mutex_);
  known_.emplace(communicator.id, std::move(communicator));
}

std::vector<Communicator> CommunicatorTable::all() const {
  std::vector<Communicator> list;
  {
    const std::lock_guard lock(mutex_);
    list.reserve(known_.size());
    for (const auto& entry : known_) list.push_back(entry.second);
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return list;
}

UsedCommunicator& CommunicatorCache::look_up(MPI_Comm handle) {
  renew(known_, generation_);
  auto place = known_.find(handle);
  if (place == known_.end()) place = known_.emplace(handle, describe(handle)).first;
  last_ = &place->second;
  return *last_;
}

void CommunicatorCache::identify(UsedCommunicator& used, CommunicatorTable& table) {
  if (used.world || used.id != 0) return;
  Communicator communicator = members_of(used);
  communicator.id = hash_of(communicator.members.list() + '|' + communicator.others.list());
  used.id = communicator.id;
  table.add(std::move(communicator));
}

GroupRanks& WindowCache::find(MPI_Win handle) {
  renew(known_, generation_);
  auto place = known_.find(handle);
  if (place == known_.end()) {
    MPI_Group group{};
    HUDDLE_REAL(Win_get_group)(handle, &group);
    place = known_.emplace(handle, GroupRanks(group)).first;
  }
  return place->second;
}

void forget_handles() noexcept {
  handle_generation.fetch_add(1, std::memory_order_release);
}

namespace {

// In each direction first the one below, then the one above.
std::vector<int> on_grid(MPI_Comm comm) {
  int dimensions = 0;
  HUDDLE_REAL(Cartdim_get)(comm, &dimensions);
  std::vector<int> neighbours;
  for (int direction = 0; direction < dimensions; ++direction) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    HUDDLE_REAL(Cart_shift)(comm, direction, 1, &below, &above);
    neighbours.push_back(below);
    neighbours.push_back(above);
  }
  return neighbours;
}

std::vector<int> in_graph(MPI_Comm comm, int rank) {
  int count = 0;
  HUDDLE_REAL(Graph_neighbors_count)(comm, rank, &count);
  std::vector<int> neighbours(static_cast<std::size_t>(count));
  HUDDLE_REAL(Graph_neighbors)(comm, rank, count, neighbours.data());
  return neighbours;
}

std::vector<int> in_distributed_graph(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  HUDDLE_REAL(Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
  std::vector<int> sources(static_cast<std::size_t>(in));
  std::vector<int> source_weights(sources.size());
  std::vector<int> destinations(static_cast<std::size_t>(out));
  std::vector<int> weights(destinations.size());
  HUDDLE_REAL(Dist_graph_neighbors)
  (comm, in, sources.data(), source_weights.data(), out, destinations.data(), weights.data());
  return destinations;
}

std::vector<int> look_up(const UsedCommunicator& communicator) {
  int topology = MPI_UNDEFINED;
  HUDDLE_REAL(Topo_test)(communicator.handle, &topology);
  switch (topology) {
    case MPI_CART:
      return on_grid(communicator.handle);
    case MPI_GRAPH:
      return in_graph(communicator.handle, communicator.rank);
    case MPI_DIST_GRAPH:
      return in_distributed_graph(communicator.handle);
    default:
      return {};
  }
}

}  // namespace

const std::vector<int>& neighbours_of(UsedCommunicator& communicator) {
  if (!communicator.neighbours_known) {
    communicator.neighbours = look_up(communicator);
    communicator.neighbours_known = true;
  }
  return communicator.neighbours;
}

}  // namespace huddle::recorder
