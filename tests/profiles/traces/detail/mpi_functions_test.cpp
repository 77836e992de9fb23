#include "profiles/traces/detail/mpi_functions.hpp"

#include <doctest/doctest.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>

#include <string>

namespace huddle::traces {
namespace {

TEST_CASE("members of a collective wait as MPI's standard has it") {
  CHECK(collective_of(OTF2_COLLECTIVE_OP_BARRIER) == Collective::kBarrier);
  for (const auto from_root :
       {OTF2_COLLECTIVE_OP_BCAST, OTF2_COLLECTIVE_OP_SCATTER, OTF2_COLLECTIVE_OP_SCATTERV})
    CHECK(collective_of(from_root) == Collective::kFromRoot);
  for (const auto to_root :
       {OTF2_COLLECTIVE_OP_GATHER, OTF2_COLLECTIVE_OP_GATHERV, OTF2_COLLECTIVE_OP_REDUCE})
    CHECK(collective_of(to_root) == Collective::kToRoot);
  for (const auto scan : {OTF2_COLLECTIVE_OP_SCAN, OTF2_COLLECTIVE_OP_EXSCAN})
    CHECK(collective_of(scan) == Collective::kScan);
  CHECK(collective_of(OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK) == Collective::kAllToAll);
  CHECK(collective_of(OTF2_COLLECTIVE_OP_CREATE_HANDLE) == Collective::kOther);
  CHECK(collective_of(255) == Collective::kOther);
}

TEST_CASE("a collective has one role, blocking or not, begun again, or by its profiling name") {
  for (const char* name : {"MPI_Allreduce", "PMPI_Allreduce", "MPI_Iallreduce",
                           "MPI_Allreduce_init", "PMPI_Iallreduce"})
    CHECK(role_of_mpi(name) == OTF2_REGION_ROLE_COLL_ALL2ALL);
  CHECK(role_of_mpi("MPI_Ibarrier") == OTF2_REGION_ROLE_BARRIER);
  CHECK(role_of_mpi("MPI_Iexscan") == OTF2_REGION_ROLE_COLL_OTHER);
  CHECK(role_of_mpi("MPI_Ineighbor_alltoallw") == OTF2_REGION_ROLE_COLL_OTHER);
  CHECK(role_of_mpi("MPI_Ireduce_scatter_block") == OTF2_REGION_ROLE_COLL_ALL2ALL);
}

TEST_CASE("messages, one-sided calls and files have their roles, everything else is a function") {
  CHECK(role_of_mpi("MPI_Isend") == OTF2_REGION_ROLE_POINT2POINT);
  CHECK(role_of_mpi("MPI_Recv_init") == OTF2_REGION_ROLE_POINT2POINT);
  CHECK(role_of_mpi("MPI_Rput") == OTF2_REGION_ROLE_RMA);
  CHECK(role_of_mpi("MPI_Win_lock_all") == OTF2_REGION_ROLE_RMA);
  CHECK(role_of_mpi("MPI_Fetch_and_op") == OTF2_REGION_ROLE_ATOMIC);
  CHECK(role_of_mpi("MPI_File_read_all") == OTF2_REGION_ROLE_FILE_IO);
  for (const char* name : {"", "P", "I", "MPI_", "MPI_I", "MPI_Init", "MPI_Info_create", "Barrier",
                           "MPI_Reduce_local", "mpi_send_", "MPI_I\xe9", "MPI__init"})
    CHECK(role_of_mpi(name) == OTF2_REGION_ROLE_FUNCTION);
}

TEST_CASE("an operation is the function's own where its members wait so, else the usual one") {
  CHECK(operation_of_mpi("MPI_Gatherv", Collective::kToRoot) == OTF2_COLLECTIVE_OP_GATHERV);
  CHECK(operation_of_mpi("MPI_Gatherv", Collective::kBarrier) == OTF2_COLLECTIVE_OP_BARRIER);
  CHECK(operation_of_mpi("MPI_Wait", Collective::kScan) == OTF2_COLLECTIVE_OP_SCAN);
  CHECK(operation_of_mpi("MPI_Comm_split", Collective::kAllToAll) == OTF2_COLLECTIVE_OP_ALLTOALL);
  CHECK(operation_of_mpi("MPI_Comm_free", Collective::kOther) == OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
  CHECK(operation_of_mpi("MPI_Comm_free", Collective::kBarrier) == OTF2_COLLECTIVE_OP_BARRIER);
  CHECK(operation_of_mpi("", Collective::kNone) == OTF2_COLLECTIVE_OP_CREATE_HANDLE);
}

TEST_CASE("whatever the function, an operation is written whose members wait as they did") {
  for (const Collective waiting :
       {Collective::kBarrier, Collective::kAllToAll, Collective::kFromRoot, Collective::kToRoot,
        Collective::kScan, Collective::kOther})
    for (const char* name : {"MPI_Barrier", "MPI_Bcast", "MPI_Alltoallw", "MPI_Iscan",
                             "MPI_Win_free", "MPI_Waitall", "anything"})
      CHECK(collective_of(operation_of_mpi(name, waiting)) == waiting);
}

TEST_CASE("one-sided calls read, write, or both") {
  CHECK(access_of_mpi("MPI_Rget") == OneSidedAccess::kGet);
  CHECK(access_of_mpi("MPI_Put") == OneSidedAccess::kPut);
  CHECK(access_of_mpi("PMPI_Raccumulate") == OneSidedAccess::kAccumulate);
  CHECK(access_of_mpi("MPI_Rget_accumulate") == OneSidedAccess::kFetch);
  CHECK(access_of_mpi("MPI_Fetch_and_op") == OneSidedAccess::kFetch);
  CHECK(access_of_mpi("MPI_Compare_and_swap") == OneSidedAccess::kCompareAndSwap);
  CHECK(access_of_mpi("MPI_Waitall") == OneSidedAccess::kPut);
}

}  // namespace
}  // namespace huddle::traces
