// Messages that are found by probes of every kind, or whose requests are persistent, freed early,
// cancelled, or completed by every kind of wait and test.
#include <array>
#include <vector>

#include "tests/programs/call_families/family_program.hpp"

namespace {

using programs::expect;
using programs::Here;
using programs::meet;

constexpr std::array<int, 3> kCounts = {0, 5, 30000};

std::vector<int> numbers(int from, int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = from * 100000 + i;
  return values;
}

// Receives what a probe found by the call that belongs to it, and checks it.
void take_matched(MPI_Message message, const MPI_Status& found, bool nonblocking,
                  const Here& here) {
  int count = -1;
  MPI_Get_count(&found, MPI_INT, &count);
  std::vector<int> in(static_cast<std::size_t>(count));
  MPI_Status status;
  if (nonblocking) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(in.data(), count, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
  } else {
    MPI_Mrecv(in.data(), count, MPI_INT, &message, &status);
  }
  expect(message == MPI_MESSAGE_NULL, "a matched message is used up");
  expect(status.MPI_SOURCE == here.left() && in == numbers(here.left(), count),
         "source and content of a matched message");
}

// Mprobe and Improbe, with Mrecv and Imrecv, from the sender or from anybody.
void matched_probes(const Here& here) {
  for (const int count : kCounts)
    for (int way = 0; way < 4; ++way) {
      const std::vector<int> out = numbers(here.rank, count);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(out.data(), count, MPI_INT, here.right(), way, MPI_COMM_WORLD, &request);
      known_sent(here.right(), 1, 4LL * count);
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status found;
      if (way % 2 == 0) {
        MPI_Mprobe(here.left(), way, MPI_COMM_WORLD, &message, &found);
      } else {
        int flag = 0;
        while (flag == 0)
          MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &found);
      }
      expect(found.MPI_TAG == way, "the tag that was probed");
      take_matched(message, found, way >= 2, here);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  MPI_Message nobody = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &nobody, &status);
  expect(nobody == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL,
         "MPI_PROC_NULL matches at once");
  MPI_Mrecv(nullptr, 0, MPI_INT, &nobody, MPI_STATUS_IGNORE);
}

// Probe and Iprobe, each with statuses and without.
void plain_probes(const Here& here) {
  for (int way = 0; way < 4; ++way) {
    const std::vector<int> out = numbers(here.rank, 7 + way);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 7 + way, MPI_INT, here.right(2), way, MPI_COMM_WORLD, &request);
    known_sent(here.right(2), 1, 4 * (7 + way));
    MPI_Status found;
    MPI_Status* const status = way < 2 ? &found : MPI_STATUS_IGNORE;
    int flag = 0;
    if (way % 2 == 0)
      MPI_Probe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, status);
    else
      while (flag == 0) MPI_Iprobe(here.left(2), MPI_ANY_TAG, MPI_COMM_WORLD, &flag, status);
    if (way < 2) {
      int count = 0;
      MPI_Get_count(&found, MPI_INT, &count);
      expect(found.MPI_SOURCE == here.left(2) && count == 7 + way, "what a probe says");
    }
    std::vector<int> in(out.size());
    MPI_Recv(in.data(), 7 + way, MPI_INT, here.left(2), way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(in == numbers(here.left(2), 7 + way), "the content of a probed message");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// The four modes of persistent sends, all received persistently, in Startall and one by one.
void persistent_modes(const Here& here) {
  using Init = decltype(&MPI_Send_init);
  constexpr std::array<Init, 4> kInits = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init,
                                          MPI_Rsend_init};
  constexpr int kRounds = 3;
  std::array<std::vector<int>, 4> out, in;
  std::array<MPI_Request, 4> sends{}, receives{};
  std::vector<char> attached(4 * (400 + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
  for (int mode = 0; mode < 4; ++mode) {
    const auto m = static_cast<std::size_t>(mode);
    const int count = 10 * (mode + 1);
    out[m] = numbers(here.rank, count);
    in[m].resize(out[m].size());
    kInits[m](out[m].data(), count, MPI_INT, here.right(), mode, MPI_COMM_WORLD, &sends[m]);
    MPI_Recv_init(in[m].data(), count, MPI_INT, here.left(), mode, MPI_COMM_WORLD, &receives[m]);
    known_sent(here.right(), kRounds, 4LL * count);
  }
  for (int round = 0; round < kRounds; ++round) {
    MPI_Startall(4, receives.data());
    meet();  // what a ready send demands
    if (round == 0)
      for (MPI_Request& send : sends) MPI_Start(&send);
    else
      MPI_Startall(4, sends.data());
    MPI_Waitall(4, sends.data(), MPI_STATUSES_IGNORE);
    MPI_Waitall(4, receives.data(), MPI_STATUSES_IGNORE);
    for (std::size_t mode = 0; mode < 4; ++mode) {
      expect(in[mode] == numbers(here.left(), static_cast<int>(in[mode].size())),
             "the content of a persistent message");
      in[mode].assign(in[mode].size(), -1);
    }
  }
  void* buffer = nullptr;
  int room = 0;
  MPI_Buffer_detach(&buffer, &room);
  for (std::size_t mode = 0; mode < 4; ++mode) {
    MPI_Request_free(&sends[mode]);
    MPI_Request_free(&receives[mode]);
  }
}

// Requests that never start, are freed while active, or get the handle of one that was freed.
void persistent_lives(const Here& here) {
  for (int life = 0; life < 6; ++life) {
    const int receiver = life % 2 == 0 ? here.right() : here.left();
    const int sender = life % 2 == 0 ? here.left() : here.right();
    const std::vector<int> out = numbers(here.rank, life + 1);
    std::vector<int> in(out.size());
    MPI_Request never = MPI_REQUEST_NULL;
    MPI_Send_init(out.data(), life + 1, MPI_INT, receiver, 9, MPI_COMM_WORLD, &never);
    MPI_Request_free(&never);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Send_init(out.data(), life + 1, MPI_INT, receiver, life, MPI_COMM_WORLD, &send);
    MPI_Start(&send);
    known_sent(receiver, 1, 4 * (life + 1));
    if (life < 3) MPI_Request_free(&send);
    MPI_Recv(in.data(), life + 1, MPI_INT, sender, life, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(in == numbers(sender, life + 1), "a message whose request is gone");
    if (life < 3) {
      // Only then may `out` go: everybody has received.
      meet();
    } else {
      MPI_Wait(&send, MPI_STATUS_IGNORE);
      MPI_Request_free(&send);
    }
  }
}

// A nonblocking send's request that is given up at once, as eager senders do.
void freed_sends(const Here& here) {
  const int out = here.rank;
  int in = -1;
  for (int round = 0; round < 5; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&out, 1, MPI_INT, here.right(), round, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(in == here.left(), "a message whose request was freed");
  }
  known_sent(here.right(), 5, 4);
  meet();
}

enum class Completion { kWaitany, kWaitsome, kTestany, kTestsome, kTestall, kTest, kGetStatus };

// Completes all requests; returns how many it saw complete.
int complete(Completion how, std::vector<MPI_Request>& requests) {
  const int count = static_cast<int>(requests.size());
  std::vector<int> indices(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  int seen = 0;
  int flag = 0;
  int index = MPI_UNDEFINED;
  int some = 0;
  while (seen < count) {
    switch (how) {
      case Completion::kWaitany:
        MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
        seen += index != MPI_UNDEFINED ? 1 : 0;
        break;
      case Completion::kWaitsome:
        MPI_Waitsome(count, requests.data(), &some, indices.data(), statuses.data());
        seen += some;
        break;
      case Completion::kTestany:
        MPI_Testany(count, requests.data(), &index, &flag, &statuses[0]);
        seen += flag != 0 && index != MPI_UNDEFINED ? 1 : 0;
        break;
      case Completion::kTestsome:
        MPI_Testsome(count, requests.data(), &some, indices.data(), MPI_STATUSES_IGNORE);
        seen += some;
        break;
      case Completion::kTestall:
        MPI_Testall(count, requests.data(), &flag, statuses.data());
        seen = flag != 0 ? count : 0;
        break;
      case Completion::kTest:
        MPI_Test(&requests[static_cast<std::size_t>(seen)], &flag, MPI_STATUS_IGNORE);
        seen += flag;
        break;
      case Completion::kGetStatus:
        MPI_Request_get_status(requests[static_cast<std::size_t>(seen)], &flag, &statuses[0]);
        if (flag != 0) MPI_Wait(&requests[static_cast<std::size_t>(seen++)], MPI_STATUS_IGNORE);
        break;
    }
  }
  return seen;
}

// Everybody sends to everybody, itself included.
void completions(const Here& here) {
  const auto ranks = static_cast<std::size_t>(here.ranks);
  for (int way = 0; way <= static_cast<int>(Completion::kGetStatus); ++way) {
    std::vector<int> in(ranks, -1);
    const int out = here.rank + 1000 * way;
    std::vector<MPI_Request> requests(2 * ranks);
    for (int other = 0; other < here.ranks; ++other) {
      const auto o = static_cast<std::size_t>(other);
      MPI_Irecv(&in[o], 1, MPI_INT, other, way, MPI_COMM_WORLD, &requests[o]);
      MPI_Isend(&out, 1, MPI_INT, other, way, MPI_COMM_WORLD, &requests[ranks + o]);
      known_sent(other, 1, 4);
    }
    expect(complete(static_cast<Completion>(way), requests) == 2 * here.ranks, "all complete");
    for (int other = 0; other < here.ranks; ++other)
      expect(in[static_cast<std::size_t>(other)] == other + 1000 * way, "what each sent");
  }
}

// A receive that nobody sends to, and then one that somebody does.
void cancelled_receives(const Here& here) {
  int in = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&in, 1, MPI_INT, here.left(), 76, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Status status;
  MPI_Wait(&request, &status);
  int cancelled = 0;
  MPI_Test_cancelled(&status, &cancelled);
  expect(cancelled != 0, "a receive without a message can be cancelled");
  int out = here.rank;
  MPI_Sendrecv_replace(&out, 1, MPI_INT, here.right(), 77, here.left(), 77, MPI_COMM_WORLD,
                       &status);
  known_sent(here.right(), 1, 4);
  expect(out == here.left(), "the message after a cancelled receive");
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, [](const Here& here) {
    // Between them all meet, so that no probe finds what belongs to the next.
    matched_probes(here);
    meet();
    plain_probes(here);
    meet();
    persistent_modes(here);
    persistent_lives(here);
    freed_sends(here);
    completions(here);
    cancelled_receives(here);
  });
}
