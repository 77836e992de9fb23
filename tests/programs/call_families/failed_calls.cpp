// Receives that fail, since their message is too long, by every kind of wait and test, each
// followed by messages that go well: MPI gives their requests the same handles again. And calls
// that MPI refuses. The program sees what MPI returns, and goes on.
#include <array>

#include "tests/programs/call_families/family_program.hpp"

namespace {

using programs::expect;
using programs::Here;

constexpr int kLong = 64;
constexpr int kTag = 3;

int class_of(int error) {
  int result = MPI_SUCCESS;
  MPI_Error_class(error, &result);
  return result;
}

// The error that a receive of a part of the message ends with, completed in one of several ways.
int end_of(MPI_Request* request, int way) {
  std::array<MPI_Request, 2> both = {*request, MPI_REQUEST_NULL};
  std::array<int, 2> places{};
  int flag = 0;
  int count = 0;
  int outcome = MPI_SUCCESS;
  switch (way) {
    case 0:
      return MPI_Wait(request, MPI_STATUS_IGNORE);
    case 1:
      while (outcome == MPI_SUCCESS && flag == 0)
        outcome = MPI_Test(request, &flag, MPI_STATUS_IGNORE);
      return outcome;
    case 2:
      return MPI_Waitany(2, both.data(), &count, MPI_STATUS_IGNORE);
    case 3:
      return MPI_Waitsome(2, both.data(), &count, places.data(), MPI_STATUSES_IGNORE);
    case 4:
      while (outcome == MPI_SUCCESS && flag == 0)
        outcome = MPI_Testall(2, both.data(), &flag, MPI_STATUSES_IGNORE);
      return outcome;
    case 5:
      while (outcome == MPI_SUCCESS && count == 0)
        outcome = MPI_Testsome(2, both.data(), &count, places.data(), MPI_STATUSES_IGNORE);
      return outcome;
    default:
      return MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
  }
}

void cut_receive(const Here& here, int way) {
  std::array<int, kLong> out{};
  std::array<int, 4> in{};
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Isend(out.data(), kLong, MPI_INT, here.right(), kTag, MPI_COMM_WORLD, &send);
  known_sent(here.right(), 1, 4LL * kLong);
  MPI_Probe(here.left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(in.data(), 4, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &receive);
  const int error = class_of(end_of(&receive, way));
  expect(error == MPI_ERR_TRUNCATE || error == MPI_ERR_IN_STATUS, "a message that is too long");
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

void whole_messages(const Here& here) {
  for (int i = 0; i < 3; ++i) {
    int in = -1;
    std::array<MPI_Request, 2> both{};
    MPI_Isend(&here.rank, 1, MPI_INT, here.right(), kTag, MPI_COMM_WORLD, &both[0]);
    known_sent(here.right(), 1, 4);
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &both[1]);
    MPI_Wait(&both[0], MPI_STATUS_IGNORE);
    MPI_Wait(&both[1], MPI_STATUS_IGNORE);
    expect(in == here.left(), "the message after one that was too long");
  }
}

// A receive that meets nobody has an end, too.
void messages_of_nobody() {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(nullptr, 0, MPI_INT, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void refused_calls() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = 0;
  expect(MPI_Comm_free(&comm) != MPI_SUCCESS, "no communicator to free");
  expect(MPI_Win_free(&window) != MPI_SUCCESS, "no window to free");
  expect(MPI_Wait(nullptr, MPI_STATUS_IGNORE) != MPI_SUCCESS, "no request to wait for");
  expect(MPI_Test(nullptr, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS, "no request to test");
  expect(MPI_Waitall(2, nullptr, MPI_STATUSES_IGNORE) != MPI_SUCCESS, "no requests to wait for");
  expect(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE) != MPI_SUCCESS, "fewer than no requests");
}

extern "C" void handle_comm(MPI_Comm* /*comm*/, int* /*error*/, ...) {}
extern "C" void handle_window(MPI_Win* /*window*/, int* /*error*/, ...) {}

// Calls with wrong ranks, which from MPICH 5 on succeed once the program's error handler returned:
// there is nothing to count.
void handled_calls(const Here& here) {
  MPI_Errhandler of_comm{};
  MPI_Errhandler of_window{};
  MPI_Comm_create_errhandler(handle_comm, &of_comm);
  MPI_Win_create_errhandler(handle_window, &of_window);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  std::array<int, 2> memory{};
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), sizeof memory, sizeof(int), MPI_INFO_NULL, other, &window);
  MPI_Win_set_errhandler(window, of_window);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, other}) {
    MPI_Comm_set_errhandler(comm, of_comm);
    for (const int wrong : {-5, here.ranks + 70})
      MPI_Send(&here.rank, 1, MPI_INT, wrong, kTag, comm);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, window);
  MPI_Put(&here.rank, 1, MPI_INT, -5, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Comm_free(&other);
  MPI_Errhandler_free(&of_comm);
  MPI_Errhandler_free(&of_window);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 2, [](const Here& here) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int way = 0; way < 7; ++way) {
      cut_receive(here, way);
      whole_messages(here);
    }
    messages_of_nobody();
    refused_calls();
    handled_calls(here);
  });
}
