#include "profiles/recorder/communicators.hpp"

#include <algorithm>

namespace huddle::recorder {
namespace {

constinit std::atomic<std::uint64_t> generation{0};

CommunicatorCache::Communicator describe(MPI_Comm handle) {
  CommunicatorCache::Communicator communicator;
  communicator.handle = handle;
  communicator.world = handle == world_communicator();
  HUDDLE_REAL(Comm_rank)(handle, &communicator.rank);
  HUDDLE_REAL(Comm_size)(handle, &communicator.participants);
  communicator.peers = communicator.participants;
  int inter = 0;
  HUDDLE_REAL(Comm_test_inter)(handle, &inter);
  communicator.inter = inter != 0;
  if (communicator.inter) {
    HUDDLE_REAL(Comm_remote_size)(handle, &communicator.peers);
    communicator.participants += communicator.peers;
  }
  int world = communicator.participants;
  HUDDLE_REAL(Comm_size)(world_communicator(), &world);
  communicator.recorded_participants = std::min(communicator.participants, world);
  return communicator;
}

int translate(const CommunicatorCache::Communicator& communicator, int peer) {
  MPI_Group group{};
  MPI_Group world{};
  if (communicator.inter)
    HUDDLE_REAL(Comm_remote_group)(communicator.handle, &group);
  else
    HUDDLE_REAL(Comm_group)(communicator.handle, &group);
  HUDDLE_REAL(Comm_group)(world_communicator(), &world);
  int rank = MPI_UNDEFINED;
  HUDDLE_REAL(Group_translate_ranks)(group, 1, &peer, world, &rank);
  HUDDLE_REAL(Group_free)(&group);
  HUDDLE_REAL(Group_free)(&world);
  return rank == MPI_UNDEFINED ? -1 : rank;
}

}  // namespace

CommunicatorCache::Communicator& CommunicatorCache::find(MPI_Comm handle) {
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (now != generation_) {
    known_.clear();
    last_ = nullptr;
    generation_ = now;
  }
  if (last_ != nullptr && last_->handle == handle) return *last_;
  auto place = known_.find(handle);
  if (place == known_.end()) place = known_.emplace(handle, describe(handle)).first;
  last_ = &place->second;
  return *last_;
}

std::optional<Rank> CommunicatorCache::world_rank(Communicator& communicator, int peer) {
  if (communicator.world) return Rank{static_cast<std::uint32_t>(peer)};
  auto place = communicator.world_ranks.find(peer);
  if (place == communicator.world_ranks.end())
    place = communicator.world_ranks.emplace(peer, translate(communicator, peer)).first;
  if (place->second < 0) return std::nullopt;
  return Rank{static_cast<std::uint32_t>(place->second)};
}

void forget_communicators() noexcept {
  generation.fetch_add(1, std::memory_order_release);
}

}  // namespace huddle::recorder
