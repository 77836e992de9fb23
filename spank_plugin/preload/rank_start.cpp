// Runs a rank that Open MPI's mpirun starts, under the recorder if it may get it:
//
//   huddle_rank_start PROGRAM [ARGUMENT...]
//
// The library openmpi_component.cpp names it to mpirun, whose own environment then needs no
// LD_PRELOAD. It becomes the program, whatever goes wrong.

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/preload/rank_preload.hpp"

namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): there is one thread

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void say(const std::string& text) {
  const std::string line = "huddle: " + text + "\n";
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

void add_recorder(const char* command) {
  const std::string recorder = variable(huddle::kRecorderVariable);
  if (recorder.empty()) return;
  const huddle::RankPreload preload =
      huddle::rank_preload(command, variable("PATH"), variable("LD_PRELOAD"), recorder);
  if (!preload.value.empty())
    ::setenv("LD_PRELOAD", preload.value.c_str(), 1);
  else if (variable("OMPI_COMM_WORLD_RANK") == "0")
    say("not measured: " + preload.why_not);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    say("usage: huddle_rank_start PROGRAM [ARGUMENT...]");
    return 2;
  }
  try {
    add_recorder(words[1]);
  } catch (...) {  // no memory: the program runs without the recorder
  }
  ::execvp(words[1], words + 1);
  say(std::string("can't run ") + words[1] + ": " + std::strerror(errno));  // NOLINT: one thread
  return errno == ENOENT ? 127 : 126;
}
