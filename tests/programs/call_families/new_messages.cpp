// Messages by the calls that came with MPI 4: sent and received by one nonblocking call, and in
// parts. Without them there is nothing to do, which status 77 says.
#include <array>
#include <vector>

#include "tests/programs/call_families/circle.hpp"

#ifdef PROGRAMS_HAVE_MPI_4
namespace {

using programs::Circle;
using programs::expect;
using programs::Here;

std::vector<int> numbers(int from, int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = from * 1000 + i;
  return values;
}

// Around the circle and back, with a size that differs from the received one's.
void exchanges(const Circle& circle) {
  for (const int count : {0, 3, 20000}) {
    const std::vector<int> out = numbers(circle.rank, count + circle.rank);
    std::vector<int> in(static_cast<std::size_t>(count + circle.left()));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Isendrecv(out.data(), count + circle.rank, MPI_INT, circle.right(), 3, in.data(),
                  count + circle.left(), MPI_INT, circle.left(), 3, circle.comm, &request);
    MPI_Wait(&request, &status);
    known_sent(circle.world(circle.right()), 1, 4LL * (count + circle.rank));
    expect(in == numbers(circle.left(), count + circle.left()), "what isendrecv brought");

    std::vector<int> both = numbers(circle.rank, count);
    MPI_Isendrecv_replace(both.data(), count, MPI_INT, circle.left(), 4, circle.right(), 4,
                          circle.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    known_sent(circle.world(circle.left()), 1, 4LL * count);
    expect(both == numbers(circle.right(), count), "what isendrecv_replace brought");
  }
}

// Along a line, whose first rank receives from nobody, and whose last sends to nobody. (If both are
// nobody, MPICH 4.0.2 crashes.)
void exchanges_with_nobody(const Circle& circle) {
  const bool last = circle.rank == circle.size() - 1;
  const int out = circle.rank;
  int in = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isendrecv(&out, 1, MPI_INT, last ? MPI_PROC_NULL : circle.rank + 1, 0, &in, 1, MPI_INT,
                circle.rank == 0 ? MPI_PROC_NULL : circle.rank - 1, 0, circle.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (!last) known_sent(circle.world(circle.rank + 1), 1, 4);
  expect(in == circle.rank - 1, "what isendrecv brought along a line");
}

// Each start is one message, however many parts it is made ready in.
void in_parts(const Circle& circle) {
  constexpr int kParts = 4;
  constexpr int kEach = 100;
  const std::vector<int> out = numbers(circle.rank, kParts * kEach);
  std::vector<int> in(out.size());
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Psend_init(out.data(), kParts, kEach, MPI_INT, circle.right(), 5, circle.comm, MPI_INFO_NULL,
                 &send);
  MPI_Precv_init(in.data(), kParts, kEach, MPI_INT, circle.left(), 5, circle.comm, MPI_INFO_NULL,
                 &receive);
  for (int round = 0; round < 3; ++round) {
    in.assign(in.size(), -1);
    MPI_Start(&receive);
    MPI_Start(&send);
    std::array<int, 2> last = {2, 3};
    if (round == 0) {
      for (int part = kParts - 1; part >= 0; --part) MPI_Pready(part, send);
    } else {
      MPI_Pready_range(0, 1, send);
      MPI_Pready_list(2, last.data(), send);
    }
    int arrived = 0;
    while (arrived == 0) MPI_Parrived(receive, 0, &arrived);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    known_sent(circle.world(circle.right()), 1, 4LL * kParts * kEach);
    expect(in == numbers(circle.left(), kParts * kEach), "what came in parts");
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, [](const Here& here) {
    Circle half = programs::reversed_half(here);
    for (const Circle& circle : {programs::world_circle(here), half}) {
      exchanges(circle);
      if (circle.size() > 1) exchanges_with_nobody(circle);
      in_parts(circle);
    }
    MPI_Comm_free(&half.comm);
  });
}
#else
int main() {
  return 77;
}
#endif
