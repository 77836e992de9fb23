#include "profiles/recorder/mpi/communicators.hpp"

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {

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

}  // namespace huddle::recorder
