// A program that dies on purpose. Its ranks pass numbers around a ring; after some iterations one
// rank ends itself as asked. The others know it, close the ring over it and go on, so that they are
// running, inside and outside MPI, when the launcher ends them.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/programs/command_line.hpp"
#include "tests/programs/mpi_program.hpp"

namespace {

constexpr const char* kProgram = "abort_midway";
constexpr int kRingTag = 1;
constexpr int kDeathCode = 3;

enum How { kAbort, kExit, kKill, kSegv, kNone };

struct Settings {
  int how = kAbort;
  int rank = 0;
  int after = 20;
  int iterations = 300;
  int elements = 1000;
  int pause_ms = 10;
};

[[noreturn]] void die(int how) {
  if (how == kAbort) MPI_Abort(MPI_COMM_WORLD, kDeathCode);
  if (how == kKill) std::raise(SIGKILL);
  if (how == kSegv) {
    // A handler that MPI may have set is not what is asked for.
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
  std::exit(kDeathCode);
}

// The rank `by` places further on around the ring of the living.
int living_neighbour(int rank, int by, int ranks, int dead) {
  const int next = (rank + by + ranks) % ranks;
  return next == dead ? (next + by + ranks) % ranks : next;
}

// Sends to the right, receives from the left; true if the left neighbour's numbers of this
// iteration came.
bool pass_around_ring(const Settings& settings, int rank, int ranks, int iteration) {
  const int dead = iteration >= settings.after && settings.how != kNone ? settings.rank : -1;
  const int left = living_neighbour(rank, -1, ranks, dead);
  const std::vector<int> out(static_cast<std::size_t>(settings.elements),
                             rank * settings.iterations + iteration);
  std::vector<int> in(out.size(), -1);
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(in.data(), settings.elements, MPI_INT, left, kRingTag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out.data(), settings.elements, MPI_INT, living_neighbour(rank, 1, ranks, dead),
            kRingTag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  const int expected = left * settings.iterations + iteration;
  for (const int found : in) {
    if (found == expected) continue;
    programs::report(kProgram, "iteration " + std::to_string(iteration) + " from rank " +
                                   std::to_string(left) + ": found " + std::to_string(found) +
                                   ", expected " + std::to_string(expected));
    return false;
  }
  return true;
}

bool run(const Settings& settings) {
  const int rank = programs::world_rank();
  const int ranks = programs::world_size();
  bool right = true;
  const double start = programs::start_clock();
  for (int iteration = 0; iteration < settings.iterations; ++iteration) {
    if (iteration == settings.after && settings.how != kNone && rank == settings.rank)
      die(settings.how);
    right = pass_around_ring(settings, rank, ranks, iteration) && right;
    std::this_thread::sleep_for(std::chrono::milliseconds(settings.pause_ms));
  }
  programs::stop_clock(start);
  return programs::everywhere(right);
}

}  // namespace

int main(int argc, char** argv) {
  const programs::MpiSession mpi(&argc, &argv);
  Settings settings;
  programs::CommandLine options(
      kProgram,
      "Passes numbers around the ring of ranks; after some iterations one rank ends itself while\n"
      "the others go on. Any number of ranks. With --how none nobody dies and all is checked.");
  options.choice("--how", &settings.how, {"abort", "exit", "kill", "segv", "none"},
                 "MPI_Abort(3), exit(3) without MPI_Finalize, SIGKILL, SIGSEGV, or not at all");
  options.number("--rank", &settings.rank, 0, 1 << 20, "the rank that ends itself");
  options.number("--after", &settings.after, 0, 1000000, "iterations before it does");
  options.number("--iterations", &settings.iterations, 1, 1000, "iterations of the others");
  options.number("--elements", &settings.elements, 0, 1 << 20, "4-byte integers in each message");
  options.number("--pause-ms", &settings.pause_ms, 0, 10000, "sleep after each iteration");
  if (const auto code = options.parse(argc, argv)) return *code;
  const int ranks = programs::world_size();
  if (settings.how != kNone && (settings.rank >= ranks || settings.after >= settings.iterations)) {
    if (programs::world_rank() == 0)
      std::fprintf(stderr,
                   "%s: nobody would die: found --rank %d of %d ranks, --after %d of "
                   "--iterations %d; expected both to be lower\n",
                   kProgram, settings.rank, ranks, settings.after, settings.iterations);
    return programs::kBadArguments;
  }
  return run(settings) ? programs::kRight : programs::kWrong;
}
