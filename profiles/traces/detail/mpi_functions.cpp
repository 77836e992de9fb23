#include "profiles/traces/detail/mpi_functions.hpp"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>

#include <algorithm>
#include <array>
#include <string>

namespace huddle::traces {

Collective collective_of(std::uint8_t otf2_operation) {
  switch (otf2_operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      return Collective::kBarrier;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return Collective::kFromRoot;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
      return Collective::kToRoot;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      return Collective::kAllToAll;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return Collective::kScan;
    default:
      return Collective::kOther;
  }
}

namespace {

struct CollectiveFunction {
  std::string_view name;  // without MPI_
  OTF2_CollectiveOp operation;
  OTF2_RegionRole role;
};

constexpr std::array<CollectiveFunction, 17> kCollectives{{
    {"Barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    {"Bcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Scatter", OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Gather", OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Gatherv", OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Reduce", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
     OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Scan", OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
    {"Exscan", OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER},
}};

constexpr std::array<std::string_view, 23> kPointToPoint{
    "Send",      "Bsend",      "Rsend",      "Ssend",      "Recv",     "Sendrecv",
    "Isend",     "Ibsend",     "Irsend",     "Issend",     "Irecv",    "Sendrecv_replace",
    "Mrecv",     "Imrecv",     "Probe",      "Iprobe",     "Mprobe",   "Improbe",
    "Send_init", "Bsend_init", "Rsend_init", "Ssend_init", "Recv_init"};

constexpr std::array<std::string_view, 6> kAtomic{"Accumulate",     "Raccumulate",
                                                  "Get_accumulate", "Rget_accumulate",
                                                  "Fetch_and_op",   "Compare_and_swap"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view without_mpi(std::string_view function) {
  if (function.starts_with("P")) function.remove_prefix(1);
  return function.starts_with("MPI_") ? function.substr(4) : std::string_view{};
}

// Names come from files: they may hold any byte.
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// Also of the nonblocking one ("Iallreduce") and of the one that is begun again and again
// ("Allreduce_init").
const CollectiveFunction* collective_function(std::string_view name) {
  std::string blocking(name);
  if (blocking.ends_with("_init")) blocking.resize(blocking.size() - 5);
  if (blocking.size() > 1 && blocking[0] == 'I' && is_lower(blocking[1])) {
    blocking.erase(0, 1);
    blocking[0] = static_cast<char>(blocking[0] - 'a' + 'A');
  }
  const auto* found =
      std::find_if(kCollectives.begin(), kCollectives.end(),
                   [&](const CollectiveFunction& each) { return each.name == blocking; });
  return found == kCollectives.end() ? nullptr : found;
}

OTF2_CollectiveOp usual_operation(Collective waiting) {
  switch (waiting) {
    case Collective::kBarrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case Collective::kAllToAll:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case Collective::kFromRoot:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Collective::kToRoot:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Collective::kScan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case Collective::kNone:
    case Collective::kOther:
      break;
  }
  return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
}

}  // namespace

std::uint8_t role_of_mpi(std::string_view function) {
  const std::string_view name = without_mpi(function);
  if (const CollectiveFunction* collective = collective_function(name)) return collective->role;
  if (contains(kPointToPoint, name)) return OTF2_REGION_ROLE_POINT2POINT;
  if (contains(kAtomic, name)) return OTF2_REGION_ROLE_ATOMIC;
  if (name.starts_with("Neighbor_") || name.starts_with("Ineighbor_"))
    return OTF2_REGION_ROLE_COLL_OTHER;
  if (name.starts_with("Win_") || name == "Put" || name == "Rput" || name == "Get" ||
      name == "Rget")
    return OTF2_REGION_ROLE_RMA;
  if (name.starts_with("File_")) return OTF2_REGION_ROLE_FILE_IO;
  return OTF2_REGION_ROLE_FUNCTION;
}

std::uint8_t operation_of_mpi(std::string_view function, Collective waiting) {
  const CollectiveFunction* own = collective_function(without_mpi(function));
  if (own != nullptr && collective_of(own->operation) == waiting) return own->operation;
  const std::string_view name = without_mpi(function);
  if (waiting == Collective::kOther && (name.ends_with("_free") || name.ends_with("_disconnect")))
    return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
  return usual_operation(waiting);
}

OneSidedAccess access_of_mpi(std::string_view function) {
  const std::string_view name = without_mpi(function);
  if (name == "Get" || name == "Rget") return OneSidedAccess::kGet;
  if (name == "Accumulate" || name == "Raccumulate") return OneSidedAccess::kAccumulate;
  if (name == "Compare_and_swap") return OneSidedAccess::kCompareAndSwap;
  if (contains(kAtomic, name)) return OneSidedAccess::kFetch;
  return OneSidedAccess::kPut;
}

}  // namespace huddle::traces
