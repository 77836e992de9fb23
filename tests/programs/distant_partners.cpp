// Partners far apart in rank order: rank r and rank r + N/2 exchange all data, so that placing
// ranks in order puts every pair on two nodes. Each rank checks what it received.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/programs/command_line.hpp"
#include "tests/programs/mpi_program.hpp"
#include "tests/programs/placement.hpp"

namespace {

constexpr const char* kProgram = "distant_partners";
constexpr int kTag = 1;

struct Settings {
  int kibibytes = 256;
  int rounds = 40;
  programs::OutputFile placement;
};

// The word that `rank` sends at place `i` in a round.
std::uint32_t word(int rank, int round, std::size_t i) {
  return static_cast<std::uint32_t>(rank) * 2654435761U +
         static_cast<std::uint32_t>(round) * 40503U + static_cast<std::uint32_t>(i);
}

bool run(const Settings& settings) {
  const int rank = programs::world_rank();
  const int half = programs::world_size() / 2;
  const bool has_partner = rank < 2 * half;  // the last of an odd number has none
  const int partner = rank < half ? rank + half : rank - half;
  const std::size_t words =
      static_cast<std::size_t>(settings.kibibytes) * 1024 / sizeof(std::uint32_t);
  std::vector<std::uint32_t> sent(words);
  std::vector<std::uint32_t> received(words);
  const int bytes = settings.kibibytes * 1024;
  bool right = true;
  const double start = programs::start_clock();
  for (int round = 0; has_partner && round < settings.rounds; ++round) {
    for (std::size_t i = 0; i < words; ++i) sent[i] = word(rank, round, i);
    MPI_Sendrecv(sent.data(), bytes, MPI_BYTE, partner, kTag, received.data(), bytes, MPI_BYTE,
                 partner, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < words; ++i) right = right && received[i] == word(partner, round, i);
  }
  programs::stop_clock(start);
  if (!right)
    programs::report(kProgram, "rank " + std::to_string(partner) + " sent something else");
  return programs::everywhere(right);
}

}  // namespace

int main(int argc, char** argv) {
  const programs::MpiSession mpi(&argc, &argv);
  Settings settings;
  programs::CommandLine options(kProgram,
                                "Rank r and rank r + N/2 of N exchange a message each round; any "
                                "number of ranks, and the last\n"
                                "of an odd number has no partner.");
  options.number("--kibibytes", &settings.kibibytes, 1, 1 << 20, "size of a message");
  options.number("--rounds", &settings.rounds, 1, 1000000, "rounds");
  options.file("--placement", &settings.placement, "where to write each rank's node and PUs");
  if (const auto code = options.parse(argc, argv)) return *code;
  bool right = run(settings);
  if (settings.placement.given) right = programs::write_placement(settings.placement.path) && right;
  return right ? programs::kRight : programs::kWrong;
}
