// A compute-bound program: Chebyshev polynomials evaluated at many points by their recurrence, all
// in registers, with one sum over the ranks and one small message a round.
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "tests/programs/command_line.hpp"
#include "tests/programs/mpi_program.hpp"
#include "tests/programs/placement.hpp"

namespace {

constexpr const char* kProgram = "compute_bound";
constexpr int kRingTag = 1;

struct Settings {
  int points = 2000;
  int degree = 500;
  int rounds = 80;
  programs::OutputFile placement;
};

// T_d(x), by T_{k+1} = 2 x T_k - T_{k-1}.
double chebyshev(int degree, double x) {
  double previous = 1.0;
  double current = x;
  for (int k = 1; k < degree; ++k) {
    const double next = 2.0 * x * current - previous;
    previous = current;
    current = next;
  }
  return current;
}

// This rank's part of the sum of T_d(x_i)^2 over the roots x_i = cos(pi (i + 1/2) / N) of T_N: the
// points i = rank, rank + ranks, ... below N.
double own_sum(int degree, std::int64_t all_points, int rank, int ranks) {
  double sum = 0;
  for (std::int64_t i = rank; i < all_points; i += ranks) {
    const double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) /
                              static_cast<double>(all_points));
    const double value = chebyshev(degree, x);
    sum += value * value;
  }
  return sum;
}

// Sends this rank's part to the right neighbour; returns the left one's.
double pass_around_ring(double own, int left, int right) {
  double received = 0;
  MPI_Sendrecv(&own, 1, MPI_DOUBLE, right, kRingTag, &received, 1, MPI_DOUBLE, left, kRingTag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return received;
}

bool near(const std::string& what, double found, double expected, double tolerance) {
  if (std::abs(found - expected) <= tolerance) return true;
  programs::report(kProgram, what + ": found " + programs::shown(found) + ", expected " +
                                 programs::shown(expected));
  return false;
}

bool run(const Settings& settings) {
  const int rank = programs::world_rank();
  const int ranks = programs::world_size();
  const std::int64_t all_points = static_cast<std::int64_t>(settings.points) * ranks;
  // The T_d are orthogonal over the roots of T_N: for 0 < d < N the sum of squares is N / 2. The
  // recurrence loses up to d^2 roundings near the ends of the interval.
  const double expected = static_cast<double>(all_points) / 2.0;
  const double tolerance = expected * (1e-12 + 1e-15 * settings.degree * settings.degree);
  const int left = (rank + ranks - 1) % ranks;
  const auto degree_of = [&](int round) { return settings.degree - round % 2; };
  bool right = true;
  double from_left = 0;
  const double start = programs::start_clock();
  for (int round = 0; round < settings.rounds; ++round) {
    const double own = own_sum(degree_of(round), all_points, rank, ranks);
    double found = 0;
    MPI_Allreduce(&own, &found, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    right = right && near("sum of squares of round " + std::to_string(round + 1), found, expected,
                          tolerance);
    from_left = pass_around_ring(own, left, (rank + 1) % ranks);
  }
  programs::stop_clock(start);
  const double left_sum = own_sum(degree_of(settings.rounds - 1), all_points, left, ranks);
  right =
      near("part of rank " + std::to_string(left), from_left, left_sum, 1e-9 * left_sum) && right;
  return programs::everywhere(right);
}

}  // namespace

int main(int argc, char** argv) {
  const programs::MpiSession mpi(&argc, &argv);
  Settings settings;
  programs::CommandLine options(
      kProgram,
      "Chebyshev polynomials at points * ranks points, summed over the ranks once a round; any\n"
      "number of ranks. Compute-bound: a round is points * degree * 2 multiply-adds a rank and "
      "one\n"
      "8-byte message. Checked against the sum that their orthogonality gives.");
  options.number("--points", &settings.points, 1, 1 << 24, "points of each rank");
  options.number("--degree", &settings.degree, 2, 10000,
                 "degree of the polynomials; must be below --points");
  options.number("--rounds", &settings.rounds, 1, 1000000, "rounds");
  options.file("--placement", &settings.placement, "where to write each rank's node and PUs");
  if (const auto code = options.parse(argc, argv)) return *code;
  if (settings.degree >= settings.points) {
    if (programs::world_rank() == 0)
      std::fprintf(stderr, "%s: --degree: found %d with --points %d; expected fewer than points\n",
                   kProgram, settings.degree, settings.points);
    return programs::kBadArguments;
  }

  bool right = run(settings);
  if (settings.placement.given) right = programs::write_placement(settings.placement.path) && right;
  return right ? programs::kRight : programs::kWrong;
}
