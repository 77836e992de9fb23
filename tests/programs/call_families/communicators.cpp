// Communicators of every birth, each with a message to the next member and a collective; and
// intercommunicators with every collective. What is booked must name ranks of MPI_COMM_WORLD.
#include <algorithm>
#include <array>
#include <vector>

#include "tests/programs/call_families/collective_calls.hpp"

namespace {

using programs::Circle;
using programs::circle_of;
using programs::expect;
using programs::handed;
using programs::Here;

constexpr int kTag = 5;

// Sends `count` numbers around the circle, and adds up all world ranks.
void use(const Circle& circle, int count) {
  std::vector<int> in(static_cast<std::size_t>(count), -1);
  const std::vector<int> out = handed(circle.rank, 0, count);
  MPI_Sendrecv(out.data(), count, MPI_INT, circle.right(), kTag, in.data(), count, MPI_INT,
               circle.left(), kTag, circle.comm, MPI_STATUS_IGNORE);
  known_sent(circle.world(circle.right()), 1, 4LL * count);
  expect(in == handed(circle.left(), 0, count), "a message on a communicator of its own");
  const int own = circle.world(circle.rank);
  int sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, circle.comm);
  known_collective("allreduce", circle.members.c_str(), 4);
  int expected = 0;
  for (const int rank : circle.world_ranks) expected += rank;
  expect(sum == expected, "a sum on a communicator of its own");
}

void use_and_free(MPI_Comm comm, const std::vector<int>& world_ranks, const Here& here, int count) {
  use(circle_of(comm, world_ranks, here), count);
  MPI_Comm_free(&comm);
}

std::vector<int> in_order(const Here& here) {
  std::vector<int> all;
  for (int rank = 0; rank < here.ranks; ++rank) all.push_back(rank);
  return all;
}

std::vector<int> reversed(std::vector<int> ranks) {
  std::reverse(ranks.begin(), ranks.end());
  return ranks;
}

void duplicates(const Here& here) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use_and_free(comm, in_order(here), here, 1);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  use_and_free(comm, in_order(here), here, 2);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(comm, in_order(here), here, 3);
}

void splits(const Here& here) {
  // Handles are reused while members and order change.
  for (int round = 0; round < 4; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    const bool alone = round == 3 && here.rank == 0;
    MPI_Comm_split(MPI_COMM_WORLD, alone ? MPI_UNDEFINED : 0, round % 2 == 0 ? -here.rank : 0,
                   &comm);
    std::vector<int> members = in_order(here);
    if (round % 2 == 0) members = reversed(members);
    if (round == 3) members.erase(members.begin());
    if (!alone) use_and_free(comm, members, here, 4 + round);
  }
  if (!programs::all_share_memory()) return;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -here.rank, MPI_INFO_NULL, &node);
  use_and_free(node, reversed(in_order(here)), here, 9);
}

// Without the first rank, last one first.
void groups(const Here& here) {
  std::vector<int> members = reversed(in_order(here));
  members.pop_back();
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, here.ranks - 1, members.data(), &group);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  if (comm != MPI_COMM_NULL) use_and_free(comm, members, here, 10);
  if (here.rank != 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, group, kTag, &comm);
    use_and_free(comm, members, here, 11);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

// A grid of two rows, if there are ranks for it, and its rows and columns.
void grids(const Here& here) {
  const int columns = here.ranks / 2;
  const std::array<int, 2> sizes = {2, columns}, periods = {1, 0};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 0, &grid);
  if (grid == MPI_COMM_NULL) return;
  std::vector<int> members, row, column;
  for (int rank = 0; rank < 2 * columns; ++rank) {
    members.push_back(rank);
    if (rank / columns == here.rank / columns) row.push_back(rank);
    if (rank % columns == here.rank % columns) column.push_back(rank);
  }
  for (const bool rows : {true, false}) {
    const std::array<int, 2> kept = {rows ? 0 : 1, rows ? 1 : 0};
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Cart_sub(grid, kept.data(), &part);
    use_and_free(part, rows ? row : column, here, rows ? 12 : 13);
  }
  use_and_free(grid, members, here, 14);
}

// The even against the odd ranks, each side in reversed order.
struct Sides {
  Circle own;  // with the intercommunicator, and the rank in the own group
  std::vector<int> remote;

  int remote_size() const { return static_cast<int>(remote.size()); }
};

void call_rooted(const Sides& sides, bool root_is_even, bool even) {
  const bool sends = root_is_even == even;
  const int root = !sends                                   ? 1 % sides.remote_size()
                   : sides.own.rank == 1 % sides.own.size() ? MPI_ROOT
                                                            : MPI_PROC_NULL;
  const bool is_root = root == MPI_ROOT;
  int value = is_root ? 42 : -1;
  call_collective(sides.own, {}, "bcast", is_root ? 4 : 0, PROGRAMS_CALLS(Bcast, bcast), &value, 1,
                  MPI_INT, root);
  expect(sends || value == 42, "bcast to the other side");
  std::vector<int> all(static_cast<std::size_t>(sides.remote_size()) * 2, 0);
  const std::vector<int> own = handed(sides.own.rank, 0, 2);
  call_collective(sides.own, {programs::Way::kNonblocking}, "gather", sends ? 0 : 8,
                  PROGRAMS_CALLS(Gather, gather), own.data(), 2, MPI_INT, all.data(), 2, MPI_INT,
                  root);
  for (int other = 0; is_root && other < sides.remote_size(); ++other)
    expect(all[static_cast<std::size_t>(2 * other)] == handed(other, 0, 2)[0], "gather over there");
  int part[2] = {-1, -1};
  call_collective(sides.own, {}, "scatter", is_root ? 8LL * sides.remote_size() : 0,
                  PROGRAMS_CALLS(Scatter, scatter), all.data(), 2, MPI_INT, part, 2, MPI_INT, root);
  int sum = 0;
  call_collective(sides.own, {}, "reduce", sends ? 0 : 4, PROGRAMS_CALLS(Reduce, reduce),
                  own.data(), &sum, 1, MPI_INT, MPI_SUM, root);
  expect(!is_root || sum == 10000 * sides.remote_size() * (sides.remote_size() - 1) / 2,
         "reduce over there");
}

void call_mutual(const Sides& sides) {
  const int remote = sides.remote_size();
  const Circle& circle = sides.own;
  call_collective(circle, {}, "barrier", 0, MPI_Barrier, MPI_Ibarrier, nullptr);
  call_collective(circle, {programs::Way::kNonblocking}, "barrier", 0, MPI_Barrier, MPI_Ibarrier,
                  nullptr);
  const int own = circle.rank + 1;
  int sum = 0;
  call_collective(circle, {}, "allreduce", 4, PROGRAMS_CALLS(Allreduce, allreduce), &own, &sum, 1,
                  MPI_INT, MPI_SUM);
  expect(sum == remote * (remote + 1) / 2, "allreduce with the other side");
  std::vector<int> all(static_cast<std::size_t>(remote), -1);
  call_collective(circle, {}, "allgather", 4, PROGRAMS_CALLS(Allgather, allgather), &own, 1,
                  MPI_INT, all.data(), 1, MPI_INT);
  expect(all.back() == remote, "allgather with the other side");
  const std::vector<int> out(static_cast<std::size_t>(remote), own);
  call_collective(circle, {}, "alltoall", 4LL * remote, PROGRAMS_CALLS(Alltoall, alltoall),
                  out.data(), 1, MPI_INT, all.data(), 1, MPI_INT);
  expect(all.back() == remote, "alltoall with the other side");
  // As many numbers are added up on both sides: each rank of the one gets one for each of the
  // other.
  const std::vector<int> ones(static_cast<std::size_t>(remote * circle.size()), 1);
  std::vector<int> sums(static_cast<std::size_t>(remote), 0);
  call_collective(circle, {}, "reduce_scatter_block", 4LL * remote * circle.size(),
                  PROGRAMS_CALLS(Reduce_scatter_block, reduce_scatter_block), ones.data(),
                  sums.data(), remote, MPI_INT, MPI_SUM);
  expect(sums.back() == remote, "reduce_scatter_block with the other side");
  int in = -1;
  const bool paired = circle.rank < remote;
  const int partner = paired ? circle.rank : MPI_PROC_NULL;
  MPI_Sendrecv(&own, 1, MPI_INT, partner, kTag, &in, 1, MPI_INT, partner, kTag, circle.comm,
               MPI_STATUS_IGNORE);
  if (paired) known_sent(sides.remote[static_cast<std::size_t>(partner)], 1, 4);
}

void intercommunicators(const Here& here) {
  Circle half = programs::reversed_half(here);
  const bool even = here.rank % 2 == 0;
  const int last_even = (here.ranks - 1) / 2 * 2;
  const int last_odd = (here.ranks - 2) / 2 * 2 + 1;
  Sides sides;
  std::vector<int> evens, odds;
  for (int rank = last_even; rank >= 0; rank -= 2) evens.push_back(rank);
  for (int rank = last_odd; rank >= 0; rank -= 2) odds.push_back(rank);
  sides.remote = even ? odds : evens;
  sides.own = half;
  sides.own.members = programs::listed(reversed(evens)) + "|" + programs::listed(reversed(odds));
  MPI_Intercomm_create(half.comm, 0, MPI_COMM_WORLD, even ? last_odd : last_even, kTag,
                       &sides.own.comm);
  call_mutual(sides);
  call_rooted(sides, true, even);
  call_rooted(sides, false, even);
  // Odd ranks come first.
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(sides.own.comm, even ? 1 : 0, &merged);
  std::vector<int> members = odds;
  programs::append(members, evens);
  use_and_free(merged, members, here, 15);
  MPI_Comm_disconnect(&sides.own.comm);
  MPI_Comm_free(&half.comm);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, [](const Here& here) {
    use(programs::world_circle(here), 8);
    use(circle_of(MPI_COMM_SELF, {here.rank}, here), 9);
    duplicates(here);
    splits(here);
    groups(here);
    grids(here);
    intercommunicators(here);
  });
}
