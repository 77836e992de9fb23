#include "profiles/programs/calibration/rank_places.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

namespace huddle::calibration {
namespace {

constexpr int kUnbound = -1;
constexpr int kElsewhere = -2;

std::vector<int> own_pus() {
  // The kernel refuses a set smaller than its own, and does not report how large that is.
  for (std::size_t pus = CPU_SETSIZE; pus <= (std::size_t{1} << 16U); pus *= 2) {
    cpu_set_t* const set = CPU_ALLOC(pus);
    if (set == nullptr) return {};
    std::vector<int> own;
    const bool known = sched_getaffinity(0, CPU_ALLOC_SIZE(pus), set) == 0;
    for (std::size_t pu = 0; known && pu < pus; ++pu)
      if (CPU_ISSET_S(pu, CPU_ALLOC_SIZE(pus), set)) own.push_back(static_cast<int>(pu));
    CPU_FREE(set);
    if (known) return own;
  }
  return {};
}

// The core that this rank is bound to, or why there is none.
int own_core(const std::vector<int>& cores) {
  const std::vector<int> pus = own_pus();
  int found = kElsewhere;
  for (std::size_t core = 0; core < cores.size(); ++core) {
    if (std::find(pus.begin(), pus.end(), cores[core]) == pus.end()) continue;
    if (found >= 0) return kUnbound;
    found = static_cast<int>(core);
  }
  return found;
}

// Returns the name of each rank's node.
std::vector<std::string> node_names() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> own{};
  int length = 0;
  MPI_Get_processor_name(own.data(), &length);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> all(own.size() * static_cast<std::size_t>(ranks));
  MPI_Allgather(own.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME,
                MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank)
    names.emplace_back(all.data() + own.size() * static_cast<std::size_t>(rank));
  return names;
}

template <class Value>
std::vector<Value> gathered(const Value& own, MPI_Datatype type) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<Value> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, 1, type, all.data(), 1, type, MPI_COMM_WORLD);
  return all;
}

std::vector<Place> places_by_rank(const Layout& layout) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<Place> places;
  for (int rank = 0; rank < ranks; ++rank)
    places.push_back({rank / layout.size(), rank % layout.size()});
  return places;
}

void complain_about(int rank, int core, const std::string& node) {
  const std::string who = "rank " + std::to_string(rank) + " on " + node;
  if (core == kUnbound)
    throw BadSettings(who + " may run on several cores: bind each rank to one, or use --by-rank");
  if (core == kElsewhere) throw BadSettings(who + " may run on no core that --cores names");
}

// Without --layout: each rank's lowest PU is a core.
std::vector<int> cores_in_use() {
  const std::vector<int> pus = own_pus();
  std::vector<int> cores = gathered(pus.empty() ? 0 : pus.front(), MPI_INT);
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

}  // namespace

RankPlaces::RankPlaces(const Layout& layout, const std::vector<Place>& places) : layout_(layout) {
  for (const Place& place : places) nodes_ = std::max(nodes_, place.node + 1);
  ranks_.assign(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(layout.size()), -1);
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    int& there = ranks_[static_cast<std::size_t>(places[rank].node) *
                            static_cast<std::size_t>(layout.size()) +
                        static_cast<std::size_t>(places[rank].core)];
    if (there >= 0)
      throw BadSettings("ranks " + std::to_string(there) + " and " + std::to_string(rank) +
                        " are on the same core: start one rank a core");
    there = static_cast<int>(rank);
  }
}

int RankPlaces::rank_at(int node, int core) const {
  if (node < 0 || node >= nodes_ || core < 0 || core >= layout_.size()) return -1;
  return ranks_[static_cast<std::size_t>(node) * static_cast<std::size_t>(layout_.size()) +
                static_cast<std::size_t>(core)];
}

RankPlaces find_places(const Settings& settings) {
  if (settings.by_rank) return {settings.layout, places_by_rank(settings.layout)};
  Layout layout = settings.layout;
  std::vector<int> cores = settings.cores;
  if (!settings.layout_told) {
    cores = cores_in_use();
    layout = {1, 1, static_cast<int>(cores.size())};
  }
  for (int core = static_cast<int>(cores.size()); core < layout.size(); ++core)
    cores.push_back(core);
  const std::vector<int> core_of = gathered(own_core(cores), MPI_INT);
  const std::vector<std::string> names = node_names();
  std::map<std::string, int> node_of;
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    complain_about(static_cast<int>(rank), core_of[rank], names[rank]);
    const int next = static_cast<int>(node_of.size());
    places.push_back({node_of.emplace(names[rank], next).first->second, core_of[rank]});
  }
  return {layout, places};
}

}  // namespace huddle::calibration
