// A program whose ranks slow each other down by a known factor: each step takes longer by a share
// of itself for every other rank on the same die. The ranks sleep instead of computing, so that it
// behaves alike on a machine that has fewer processors than it pretends, or other work to do.
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/programs/command_line.hpp"
#include "tests/programs/mpi_program.hpp"
#include "tests/programs/placement.h"
#include "tests/programs/placement.hpp"

namespace {

constexpr const char* kProgram = "crowded";

struct Settings {
  int steps = 60;
  int step_ms = 50;
  int slower_percent = 150;
  int die_pus = 2;
  int status = programs::kRight;
  programs::OutputFile placement;
};

// A number for the die that this rank may run on now: of its node's name and its first PU.
std::int64_t present_die(int die_pus) {
  std::array<char, kPlacementLineBytes> line{};
  if (programs_placement_line(programs::world_rank(), line.data()) != 0) return 0;
  const std::string_view text(line.data());  // "RANK NODE PUS"
  const std::size_t node = text.find(' ') + 1;
  const std::size_t pus = text.find(' ', node) + 1;
  int first = 0;
  std::from_chars(text.data() + pus, text.data() + text.size(), first);
  std::int64_t die = 0;
  for (const char c : text.substr(node, pus - node)) die = die * 131 + c;
  return die * 1024 + first / die_pus;
}

// The number of ranks on this rank's die, itself included. Collective.
int ranks_on_die(int die_pus) {
  const std::int64_t own = present_die(die_pus);
  std::vector<std::int64_t> all(static_cast<std::size_t>(programs::world_size()));
  MPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  int ranks = 0;
  for (const std::int64_t die : all) ranks += die == own ? 1 : 0;
  return ranks;
}

void run(const Settings& settings) {
  const double start = programs::start_clock();
  for (int step = 0; step < settings.steps; ++step) {
    const int others = ranks_on_die(settings.die_pus) - 1;
    const double factor = 1 + others * settings.slower_percent / 100.0;
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::milli>(settings.step_ms * factor));
  }
  programs::stop_clock(start);
}

}  // namespace

int main(int argc, char** argv) {
  const programs::MpiSession mpi(&argc, &argv);
  Settings settings;
  programs::CommandLine options(kProgram,
                                "Ranks that slow each other down: a step takes --step-ms, and "
                                "--slower percent more for each\n"
                                "other rank on the same die. Any number of ranks. They sleep, and "
                                "agree where they are once a\n"
                                "step.");
  options.number("--steps", &settings.steps, 1, 1000000, "steps");
  options.number("--step-ms", &settings.step_ms, 1, 100000, "milliseconds of a step alone");
  options.number("--slower", &settings.slower_percent, 0, 10000,
                 "percent by which each other rank of a die slows");
  options.number("--die-pus", &settings.die_pus, 1, 1024, "PUs of a die");
  options.number("--status", &settings.status, 0, 255, "exit status of a run that went well");
  options.file("--placement", &settings.placement, "where to write each rank's node and PUs");
  if (const auto code = options.parse(argc, argv)) return *code;
  run(settings);
  bool right = true;
  if (settings.placement.given) right = programs::write_placement(settings.placement.path);
  return right ? settings.status : programs::kWrong;
}
