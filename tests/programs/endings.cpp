// A program that ends in any of the ways in which programs end. Ranks pass a barrier; a little
// later some of them end as asked, each with a code of its own, and the others wait for them in
// MPI.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/programs/mpi_program.hpp"

namespace {

constexpr int kCode = 7;
int rank = 0;
int ranks = 0;

// Different ones, so that it shows whose the launcher reports.
int code() {
  return kCode + rank;
}

// When this rank was told to end, which launchers' times are compared with; at once, as nothing is
// written after some of the ways.
void say_when() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string line =
      "ends_ms " +
      std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) + "\n";
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, line.data(), line.size());
}

void pause_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// As those who wait for a dead rank.
[[noreturn]] void wait_in_mpi() {
  int never = 0;
  MPI_Recv(&never, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::exit(0);
}

[[noreturn]] void wait_outside() {
  for (;;) pause_for(1000);
}

void leave_from_handler(int) {
  std::exit(kCode);  // what programs do, though they must not
}

void fall_by(int signal) {
  std::signal(signal, SIG_DFL);  // not by a handler that MPI may have set
  std::raise(signal);
}

void start_child(bool waits) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("sh", "sh", "-c", waits ? "exit 3" : "sleep 1", nullptr);
    ::_exit(127);
  }
  if (waits) ::waitpid(child, nullptr, 0);
}

void send_to_nobody() {
  MPI_Send(&rank, 1, MPI_INT, ranks + 5, 0, MPI_COMM_WORLD);
}

struct Way {
  std::string_view name;
  std::function<void()> end;
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"well", [] {}},
      {"exit", [] { std::exit(code()); }},
      {"exit-0", [] { std::exit(0); }},
      {"_exit", [] { ::_exit(code()); }},
      {"quick_exit", [] { std::quick_exit(code()); }},
      {"abort", [] { MPI_Abort(MPI_COMM_WORLD, code()); }},
      {"abort-self", [] { MPI_Abort(MPI_COMM_SELF, code()); }},
      {"segv", [] { fall_by(SIGSEGV); }},
      {"abrt", [] { std::abort(); }},
      {"kill", [] { std::raise(SIGKILL); }},
      {"term", [] { fall_by(SIGTERM); }},
      {"throw", [] { throw std::runtime_error("not caught"); }},
      {"handler",
       [] {
         std::signal(SIGUSR1, leave_from_handler);
         std::raise(SIGUSR1);
       }},
      {"mpi-error", send_to_nobody},
      {"child",
       [] {
         start_child(false);
         std::exit(code());
       }},
      {"ended-child",
       [] {
         start_child(true);
         std::exit(code());
       }},
      {"finalized",
       [] {
         MPI_Finalize();
         std::exit(code());
       }},
      {"late",
       [] {
         pause_for(900);
         ::_exit(code());
       }},
      {"waits", wait_outside},
      {"deaf",
       [] {
         std::signal(SIGTERM, SIG_IGN);
         wait_outside();
       }},
  };
  return all;
}

const Way* way_called(std::string_view name) {
  const auto found =
      std::find_if(ways().begin(), ways().end(), [&](const Way& way) { return way.name == name; });
  return found == ways().end() ? nullptr : &*found;
}

bool is_among(std::string_view list) {
  if (list == "all") return true;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    int named = -1;
    std::from_chars(one.data(), one.data() + one.size(), named);
    if (named == rank) return true;
    list.remove_prefix(std::min(list.size(), one.size() + 1));
  }
  return false;
}

int explain() {
  std::string names;
  for (const Way& way : ways()) names += " " + std::string(way.name);
  std::fprintf(stderr,
               "usage: endings WAY RANKS [OTHERS [MILLISECONDS]]\n"
               "RANKS (\"all\", or numbers with commas between them) end so, after MILLISECONDS\n"
               "(300); the others do as OTHERS says: wait in MPI (the default), another of these\n"
               "ways, or \"init\": those RANKS end before MPI_Init, in which the others are.\n"
               "Ways:%s\n",
               names.c_str());
  return programs::kBadArguments;
}

// The rank by the launcher's variables.
int rank_before_init() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Way* const way = argc > 2 ? way_called(argv[1]) : nullptr;
  if (way == nullptr) return explain();
  const std::string_view others = argc > 3 ? argv[3] : "";
  const int after = argc > 4 ? std::atoi(argv[4]) : 300;
  if (others == "init") {
    rank = rank_before_init();
    if (is_among(argv[2])) {
      pause_for(after);
      way->end();
    }
  }
  MPI_Init(&argc, &argv);
  rank = programs::world_rank();
  ranks = programs::world_size();
  MPI_Barrier(MPI_COMM_WORLD);
  pause_for(after);
  if (is_among(argv[2])) {
    say_when();
    way->end();
  } else if (const Way* const other = way_called(others)) {
    other->end();
  } else {
    wait_in_mpi();
  }
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Finalize();
  return way->name == "well" ? 0 : code();
}
