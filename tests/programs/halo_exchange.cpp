// Heat flow on a plane, explicit five-point steps, halos exchanged between the ranks of a px x py
// grid. By default ranks that are neighbours on the grid have numbers far apart, so that placing
// ranks in order is a bad placement. halo_exchange_fortran.f90 is its twin: message by message and
// collective by collective the same.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/programs/command_line.hpp"
#include "tests/programs/heat_solution.hpp"
#include "tests/programs/mpi_program.hpp"
#include "tests/programs/placement.hpp"

namespace {

constexpr const char* kProgram = "halo_exchange";

enum Order { kNatural, kShuffled };
// A message's tag is the direction in which it travels.
enum Tag { kToWest = 1, kToEast, kToSouth, kToNorth };

struct Settings {
  int size = 64;
  int iterations = 2000;
  int fields = 4;
  int residual_every = 20;
  // Where nodes share a few cores, a rest makes a run's time depend little on them.
  int rest_ms = 0;
  int order = kShuffled;
  // Found by trying the first 100000. With ranks placed in order, every pair of neighbours is on
  // two nodes at 2 ranks a node (4, 8 and 16 ranks) and at 4 a node (8 and 16 ranks); of 16 ranks
  // at 8 a node 20 of 24 pairs are, in natural order 4.
  int seed = 36499;
  programs::OutputFile placement;
};

// The world rank that works on each cell of the grid of ranks. Shuffled: Fisher and Yates, from the
// last position down, with the generator x <- 16807 x mod (2^31 - 1) started at seed, so that every
// language and library gets the same numbers.
std::vector<int> ranks_on_grid(int ranks, const Settings& settings) {
  std::vector<int> rank_at(static_cast<std::size_t>(ranks));
  std::iota(rank_at.begin(), rank_at.end(), 0);
  if (settings.order == kNatural) return rank_at;
  std::int64_t state = settings.seed;
  for (std::int64_t last = ranks - 1; last > 0; --last) {
    state = state * 16807 % 2147483647;
    std::swap(rank_at[static_cast<std::size_t>(last)],
              rank_at[static_cast<std::size_t>(state % (last + 1))]);
  }
  return rank_at;
}

// This rank's cell of the grid of ranks, numbered x * py + y, and the world ranks beside it;
// MPI_PROC_NULL beyond the rim.
struct Seat {
  int px = 0, py = 0;
  int x = 0, y = 0;
  int west = MPI_PROC_NULL, east = MPI_PROC_NULL, south = MPI_PROC_NULL, north = MPI_PROC_NULL;
};

Seat find_seat(const Settings& settings) {
  const int ranks = programs::world_size();
  std::array<int, 2> dims = {0, 0};
  MPI_Dims_create(ranks, 2, dims.data());
  Seat seat{dims[0], dims[1]};
  const std::vector<int> rank_at = ranks_on_grid(ranks, settings);
  const auto own = std::find(rank_at.begin(), rank_at.end(), programs::world_rank());
  const int position = static_cast<int>(own - rank_at.begin());
  seat.x = position / seat.py;
  seat.y = position % seat.py;
  const auto beside = [&](int dx, int dy) -> int {
    const int x = seat.x + dx;
    const int y = seat.y + dy;
    if (x < 0 || x >= seat.px || y < 0 || y >= seat.py) return MPI_PROC_NULL;
    return rank_at[static_cast<std::size_t>(x * seat.py + y)];
  };
  seat.west = beside(-1, 0);
  seat.east = beside(1, 0);
  seat.south = beside(0, -1);
  seat.north = beside(0, 1);
  return seat;
}

// This rank's size x size cells of every field, with a frame one cell wide around each.
class Plane {
 public:
  Plane(const Settings& settings, const Seat& seat)
      : size_(settings.size),
        fields_(settings.fields),
        seat_(seat),
        exact_(seat.px * size_, seat.py * size_),
        now_(static_cast<std::size_t>(fields_) * frame_cells()),
        halo_(static_cast<std::size_t>(fields_) * static_cast<std::size_t>(size_)) {
    // Cells that the exchange is to fill start as not-a-number: one that it misses spoils the
    // result.
    for (int f = 0; f < fields_; ++f)
      for (int i = 0; i <= size_ + 1; ++i)
        for (int j = 0; j <= size_ + 1; ++j)
          now_[index(f, i, j)] = belongs_to_neighbour(i, j)
                                     ? std::numeric_limits<double>::quiet_NaN()
                                     : exact_.at(f, global_x(i), global_y(j), 0);
    next_ = now_;
  }

  void exchange_halos() {
    std::array<MPI_Request, 4> requests{};
    std::vector<double> from_west(halo_.size()), from_east(halo_.size());
    const std::vector<double> to_west = column(1), to_east = column(size_);
    MPI_Irecv(from_west.data(), count(), MPI_DOUBLE, seat_.west, kToEast, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(from_east.data(), count(), MPI_DOUBLE, seat_.east, kToWest, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(to_west.data(), count(), MPI_DOUBLE, seat_.west, kToWest, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(to_east.data(), count(), MPI_DOUBLE, seat_.east, kToEast, MPI_COMM_WORLD,
              &requests[3]);
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    if (seat_.west != MPI_PROC_NULL) set_column(0, from_west);
    if (seat_.east != MPI_PROC_NULL) set_column(size_ + 1, from_east);
    shift_rows(seat_.south, kToSouth, 1, seat_.north, size_ + 1);
    shift_rows(seat_.north, kToNorth, size_, seat_.south, 0);
  }

  // One step; returns the sum of the squared changes of this rank's cells.
  double step() {
    double change = 0;
    for (int f = 0; f < fields_; ++f)
      for (int i = 1; i <= size_; ++i)
        for (int j = 1; j <= size_; ++j) {
          const double centre = now_[index(f, i, j)];
          const double around = now_[index(f, i - 1, j)] + now_[index(f, i + 1, j)] +
                                now_[index(f, i, j - 1)] + now_[index(f, i, j + 1)];
          const double difference = programs::HeatSolution::kDiffusion * (around - 4.0 * centre);
          next_[index(f, i, j)] = centre + difference;
          change += difference * difference;
        }
    now_.swap(next_);
    return change;
  }

  const programs::HeatSolution& exact() const { return exact_; }

  // Compares every cell with the exact solution; names the first that is off.
  bool right_after(int steps) const {
    const double tolerance = exact_.tolerance(fields_, steps);
    for (int f = 0; f < fields_; ++f)
      for (int i = 1; i <= size_; ++i)
        for (int j = 1; j <= size_; ++j) {
          const double found = now_[index(f, i, j)];
          const double expected = exact_.at(f, global_x(i), global_y(j), steps);
          if (std::abs(found - expected) <= tolerance) continue;
          programs::report(
              kProgram, "field " + std::to_string(f) + ", cell (" + std::to_string(global_x(i)) +
                            ", " + std::to_string(global_y(j)) + ") after " +
                            std::to_string(steps) + " iterations: found " + programs::shown(found) +
                            ", expected " + programs::shown(expected));
          return false;
        }
    return true;
  }

 private:
  std::size_t frame_cells() const {
    return (static_cast<std::size_t>(size_) + 2) * (static_cast<std::size_t>(size_) + 2);
  }
  std::size_t index(int f, int i, int j) const {
    return static_cast<std::size_t>(f) * frame_cells() +
           static_cast<std::size_t>(i) * (static_cast<std::size_t>(size_) + 2) +
           static_cast<std::size_t>(j);
  }
  int count() const { return static_cast<int>(halo_.size()); }
  int global_x(int i) const { return seat_.x * size_ + i; }
  int global_y(int j) const { return seat_.y * size_ + j; }
  bool belongs_to_neighbour(int i, int j) const {
    return (i == 0 && seat_.west != MPI_PROC_NULL) ||
           (i == size_ + 1 && seat_.east != MPI_PROC_NULL) ||
           (j == 0 && seat_.south != MPI_PROC_NULL) ||
           (j == size_ + 1 && seat_.north != MPI_PROC_NULL);
  }

  std::vector<double> column(int i) const { return line(i, -1); }
  void set_column(int i, const std::vector<double>& values) { set_line(i, -1, values); }

  // The inner cells of all fields with the given i, or, if i is -1, with the given j.
  std::vector<double> line(int i, int j) const {
    std::vector<double> values;
    values.reserve(halo_.size());
    for (int f = 0; f < fields_; ++f)
      for (int c = 1; c <= size_; ++c)
        values.push_back(now_[index(f, i < 0 ? c : i, j < 0 ? c : j)]);
    return values;
  }
  void set_line(int i, int j, const std::vector<double>& values) {
    auto value = values.begin();
    for (int f = 0; f < fields_; ++f)
      for (int c = 1; c <= size_; ++c) now_[index(f, i < 0 ? c : i, j < 0 ? c : j)] = *value++;
  }

  // Sends row `own` towards `to` and receives row `frame` from the other side.
  void shift_rows(int to, Tag tag, int own, int from, int frame) {
    const std::vector<double> outgoing = line(-1, own);
    MPI_Sendrecv(outgoing.data(), count(), MPI_DOUBLE, to, tag, halo_.data(), count(), MPI_DOUBLE,
                 from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (from != MPI_PROC_NULL) set_line(-1, frame, halo_);
  }

  int size_;
  int fields_;
  Seat seat_;
  programs::HeatSolution exact_;
  std::vector<double> now_, next_;
  std::vector<double> halo_;
};

// Adds up the changes of one step over all ranks and compares with the exact sum.
bool residual_right(const Settings& settings, const Plane& plane, double own_change, int step) {
  double found = 0;
  MPI_Allreduce(&own_change, &found, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double expected = plane.exact().residual(settings.fields, step);
  if (std::abs(found - expected) <= plane.exact().residual_tolerance(settings.fields, expected))
    return true;
  programs::report(kProgram, "residual of iteration " + std::to_string(step + 1) + ": found " +
                                 programs::shown(found) + ", expected " +
                                 programs::shown(expected));
  return false;
}

bool run(const Settings& settings) {
  Plane plane(settings, find_seat(settings));
  bool right = true;
  const double start = programs::start_clock();
  for (int step = 0; step < settings.iterations; ++step) {
    plane.exchange_halos();
    if (settings.rest_ms > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(settings.rest_ms));
    const double change = plane.step();
    if ((step + 1) % settings.residual_every == 0)
      right = residual_right(settings, plane, change, step) && right;
  }
  programs::stop_clock(start);
  right = plane.right_after(settings.iterations) && right;
  return programs::everywhere(right);
}

}  // namespace

int main(int argc, char** argv) {
  const programs::MpiSession mpi(&argc, &argv);
  Settings settings;
  programs::CommandLine options(
      kProgram,
      "Heat flow on a grid of ranks with halo exchange; any number of ranks. A halo message holds\n"
      "size * fields * 8 bytes. The result is checked cell by cell against the exact solution.");
  options.number("--size", &settings.size, 4, 4096, "cells along each side of a rank's square");
  options.number("--iterations", &settings.iterations, 1, 1000000, "steps");
  options.number("--fields", &settings.fields, 1, 1024, "fields, all in each halo message");
  options.number("--residual-every", &settings.residual_every, 1, 1000000,
                 "steps between two residuals (MPI_Allreduce)");
  options.number("--rest-ms", &settings.rest_ms, 0, 100000,
                 "milliseconds that each rank sleeps in a step");
  options.choice("--order", &settings.order, {"natural", "shuffled"},
                 "how ranks are numbered over the grid");
  options.number("--seed", &settings.seed, 1, 2147483646, "which shuffled order");
  options.file("--placement", &settings.placement, "where to write each rank's node and PUs");
  if (const auto code = options.parse(argc, argv)) return *code;

  bool right = run(settings);
  if (settings.placement.given) right = programs::write_placement(settings.placement.path) && right;
  return right ? programs::kRight : programs::kWrong;
}
