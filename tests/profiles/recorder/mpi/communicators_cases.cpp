#include <doctest/doctest.h>

#include <array>
#include <climits>
#include <numeric>
#include <utility>

#include "profiles/recorder/mpi/communicators.hpp"

namespace huddle::recorder {
namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

Rank rank_of(int number) {
  return Rank{static_cast<std::uint32_t>(number)};
}

// All ranks, the last one first.
MPI_Comm reversed() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &comm);
  return comm;
}

// True if all ranks have the same number.
bool agreed(std::uint64_t number) {
  std::array<unsigned long, 2> ends{number, ~number};
  MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
  return ends[0] == ~ends[1];
}

TEST_CASE("predefined handles are those that the program uses") {
  CHECK(is_the_programs_library());
  CHECK_FALSE(another_recorder_follows());
  CHECK_FALSE(was_spawned());
  CHECK((world_communicator() == MPI_COMM_WORLD));
  CHECK((self_communicator() == MPI_COMM_SELF));
  CHECK((no_communicator() == MPI_COMM_NULL));
  CHECK((no_request() == MPI_REQUEST_NULL));
  CHECK((no_window() == MPI_WIN_NULL));
  CHECK((message_of_nobody() == MPI_MESSAGE_NO_PROC));
  CHECK((byte_datatype() == MPI_BYTE));
  CHECK((errors_return() == MPI_ERRORS_RETURN));
  CHECK((no_op() == MPI_NO_OP));
  CHECK((bit_or() == MPI_BOR));
  CHECK((no_info() == MPI_INFO_NULL));
}

TEST_CASE("the library's version is one line") {
  const std::string version = library_version();
  CHECK_FALSE(version.empty());
  CHECK(version.size() <= 200);
  CHECK(version.find('\n') == std::string::npos);
}

TEST_CASE("a function that MPI does not have returns an error and does nothing") {
  auto* missing = reinterpret_cast<int (*)()>(find_real("PMPI_Is_no_function"));
  REQUIRE((missing != nullptr));
  CHECK(missing() == MPI_ERR_INTERN);
  CHECK(missing() == MPI_ERR_INTERN);
}

TEST_CASE("elements of a datatype have its size, however many they are") {
  DatatypeSizes sizes;
  CHECK(sizes.bytes(3, MPI_INT) == 12);
  CHECK(sizes.is_lasting(MPI_INT));
  CHECK(sizes.bytes(0, MPI_DOUBLE) == 0);
  CHECK(sizes.bytes(INT_MAX, MPI_DOUBLE) == std::uint64_t{INT_MAX} * 8);
  CHECK(sizes.bytes(2, MPI_PACKED) == 2);
  for (int round = 0; round < 2; ++round)  // more types than are remembered at a time
    for (const auto& [type, size] :
         {std::pair(MPI_CHAR, 1), std::pair(MPI_SHORT, 2), std::pair(MPI_FLOAT, 4),
          std::pair(MPI_INT64_T, 8), std::pair(MPI_UINT8_T, 1),
          std::pair(MPI_C_DOUBLE_COMPLEX, 16)})
      CHECK(sizes.bytes(1, type) == static_cast<std::uint64_t>(size));
}

// MPICH's MPI_Alltoallw takes it for ranks that nothing is sent to, and MPI ends a program that
// asks for its size.
TEST_CASE("no datatype has no bytes, and is not asked for from MPI") {
  DatatypeSizes sizes;
  CHECK(sizes.bytes(0, MPI_DATATYPE_NULL) == 0);
  CHECK(sizes.bytes(3, MPI_DATATYPE_NULL) == 0);
  CHECK_FALSE(sizes.is_lasting(MPI_DATATYPE_NULL));
}

TEST_CASE("a derived datatype is not remembered: its handle may be another type's tomorrow") {
  DatatypeSizes sizes;
  for (const int length : {3, 1000, 1, 0}) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(length, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    CHECK(sizes.bytes(2, type) == std::uint64_t{16} * static_cast<unsigned>(length));
    CHECK_FALSE(sizes.is_lasting(type));
    MPI_Type_free(&type);
  }
  // Holes count for its extent, not for its size.
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 100, MPI_INT, &strided);
  CHECK(sizes.bytes(1, strided) == 16);
  MPI_Type_free(&strided);
}

TEST_CASE("a group's members are ranks of the world, in the group's own order") {
  MPI_Comm comm = reversed();
  MPI_Group group{};
  MPI_Comm_group(comm, &group);
  const int ranks = world_size();
  const std::vector<std::uint32_t> members = world_ranks_of(group);
  GroupRanks reverse(group);
  REQUIRE(reverse.size() == ranks);
  for (int twice = 0; twice < 2; ++twice)
    for (int member = 0; member < ranks; ++member) {
      CHECK(reverse.world_rank(member) == rank_of(ranks - 1 - member));
      CHECK(members[static_cast<std::size_t>(member)] ==
            static_cast<std::uint32_t>(ranks - 1 - member));
    }
  CHECK(reverse.world_ranks().size() == static_cast<std::uint32_t>(ranks));

  GroupRanks taken(std::move(reverse));
  GroupRanks other;
  other = std::move(taken);
  CHECK(other.world_rank(0) == rank_of(ranks - 1));
  MPI_Comm_free(&comm);
}

TEST_CASE("a rank that nobody has is nobody's, in a group as in the world") {
  MPI_Comm comm = reversed();
  MPI_Group group{};
  MPI_Comm_group(comm, &group);
  GroupRanks reverse(group);
  CommunicatorCache cache;
  for (const int wrong : {-5, world_size(), world_size() + 70}) {
    CAPTURE(wrong);
    CHECK_FALSE(reverse.world_rank(wrong).has_value());
    CHECK_FALSE(cache.find(MPI_COMM_WORLD).world_rank(wrong).has_value());
  }
  MPI_Comm_free(&comm);
}

TEST_CASE("the world's ranks need no translation, and it has no id") {
  CommunicatorCache cache;
  CommunicatorTable table;
  UsedCommunicator& world = cache.find(MPI_COMM_WORLD);
  CHECK(world.world);
  CHECK_FALSE(world.inter);
  CHECK(world.rank == world_rank());
  CHECK(world.participants == world_size());
  CHECK(world.peer_count == world_size());
  CHECK(world.world_rank(0) == rank_of(0));
  CommunicatorCache::identify(world, table);
  CHECK(world.id == 0);
  CHECK(table.all().empty());
}

TEST_CASE("communicators with the same members have one id, on all ranks") {
  CommunicatorCache cache;
  CommunicatorTable table;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm reverse = reversed();
  UsedCommunicator& first = cache.find(copy);
  CHECK_FALSE(first.world);
  CommunicatorCache::identify(first, table);
  const std::uint64_t id = first.id;
  CHECK(id != 0);
  CHECK(agreed(id));
  UsedCommunicator& second = cache.find(reverse);
  CHECK(second.rank == world_size() - 1 - world_rank());
  CHECK(second.world_rank(0) == rank_of(world_size() - 1));
  CommunicatorCache::identify(second, table);
  CHECK(second.id == id);
  UsedCommunicator& self = cache.find(MPI_COMM_SELF);
  CHECK(self.participants == 1);
  CHECK(self.world_rank(0) == rank_of(world_rank()));
  CommunicatorCache::identify(self, table);
  const std::vector<Communicator> all = table.all();
  REQUIRE(all.size() == (world_size() == 1 ? 1U : 2U));
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].id < all[i].id);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&reverse);
}

TEST_CASE("a handle that comes again after its communicator was freed is looked at anew") {
  CommunicatorCache cache;
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    const bool even = round % 2 == 0;
    MPI_Comm_split(MPI_COMM_WORLD, even ? 0 : world_rank(), world_rank(), &comm);
    UsedCommunicator& used = cache.find(comm);
    CHECK(used.participants == (even ? world_size() : 1));
    CHECK(cache.find(comm).world_rank(0) == rank_of(even ? 0 : world_rank()));
    forget_handles();
    MPI_Comm_free(&comm);
  }
}

TEST_CASE("both sides of an intercommunicator give it one name, and send to the other one") {
  const int ranks = world_size();
  if (ranks < 2) return;
  // The upper ranks are the side that is named first, so that order has to be restored.
  const int lower = ranks / 2;
  const bool low = world_rank() < lower;
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 1 : 0, world_rank(), &side);
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? lower : 0, 5, &inter);
  CommunicatorCache cache;
  CommunicatorTable table;
  UsedCommunicator& used = cache.find(inter);
  CHECK(used.inter);
  CHECK(used.participants == ranks);
  CHECK(used.recorded_participants == ranks);
  CHECK(used.peer_count == (low ? ranks - lower : lower));
  CHECK(used.world_rank(0) == rank_of(low ? lower : 0));
  CommunicatorCache::identify(used, table);
  CHECK(agreed(used.id));
  const std::vector<Communicator> all = table.all();
  REQUIRE(all.size() == 1);
  CHECK(all[0].members.contains(Rank{0}));
  CHECK(all[0].members.size() == static_cast<std::uint32_t>(lower));
  CHECK(all[0].others.size() == static_cast<std::uint32_t>(ranks - lower));
  MPI_Comm_free(&inter);
  MPI_Comm_free(&side);
}

TEST_CASE("on a grid a rank sends below and above in each direction, to nobody at its border") {
  const int ranks = world_size();
  for (const int wraps : {0, 1}) {
    const std::array<int, 2> extents{ranks, 1};
    const std::array<int, 2> periods{wraps, 0};
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents.data(), periods.data(), 0, &grid);
    CommunicatorCache cache;
    UsedCommunicator& used = cache.find(grid);
    const int rank = used.rank;
    const int below = rank > 0 ? rank - 1 : (wraps != 0 ? ranks - 1 : MPI_PROC_NULL);
    const int above = rank < ranks - 1 ? rank + 1 : (wraps != 0 ? 0 : MPI_PROC_NULL);
    CHECK(neighbours_of(used) == std::vector<int>{below, above, MPI_PROC_NULL, MPI_PROC_NULL});
    CHECK(neighbours_of(used).size() == 4);  // known from now on
    MPI_Comm_free(&grid);
  }
}

TEST_CASE("in a graph a rank sends along its edges, in their order, and else to nobody") {
  const int ranks = world_size();
  const int rank = world_rank();
  CommunicatorCache cache;
  CHECK(neighbours_of(cache.find(MPI_COMM_WORLD)).empty());

  // Each rank sends to the next two, and receives from the one before only by that.
  const std::array<int, 2> targets{(rank + 1) % ranks, (rank + 2) % ranks};
  const std::array<int, 2> sources{(rank + ranks - 1) % ranks, (rank + 2 * ranks - 2) % ranks};
  MPI_Comm distributed = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources.data(), MPI_UNWEIGHTED, 2,
                                 targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &distributed);
  CHECK(neighbours_of(cache.find(distributed)) == std::vector<int>(targets.begin(), targets.end()));

  forget_handles();
  MPI_Comm_free(&distributed);
  if (ranks < 2) return;

  // A star: rank 0 sends to all others, these to rank 0.
  std::vector<int> index;
  std::vector<int> edges;
  for (int other = 1; other < ranks; ++other) edges.push_back(other);
  index.push_back(ranks - 1);
  for (int other = 1; other < ranks; ++other) {
    edges.push_back(0);
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm star = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index.data(), edges.data(), 0, &star);
  const std::vector<int> found = neighbours_of(cache.find(star));
  if (rank == 0) {
    std::vector<int> others(static_cast<std::size_t>(ranks - 1));
    std::iota(others.begin(), others.end(), 1);
    CHECK(found == others);
  } else {
    CHECK(found == std::vector<int>{0});
  }
  MPI_Comm_free(&star);
}

TEST_CASE("a window's targets are ranks of its communicator") {
  if (world_size() < 2) return;  // Open MPI 4.1 makes no window of one rank
  MPI_Comm comm = reversed();
  int memory = 0;
  WindowCache cache;
  for (int round = 0; round < 3; ++round) {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, round == 1 ? MPI_COMM_WORLD : comm,
                   &window);
    CHECK(cache.find(window).world_rank(0) == rank_of(round == 1 ? 0 : world_size() - 1));
    CHECK(cache.find(window).size() == world_size());
    forget_handles();
    MPI_Win_free(&window);
  }
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace huddle::recorder
