// A memory-bound program: sweeps of a triad over three arrays, with a sum over all ranks and a
// message around the ring of ranks after each sweep. Little is computed for each byte moved, so
// ranks that share a memory controller slow each other down.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/programs/command_line.hpp"
#include "tests/programs/mpi_program.hpp"
#include "tests/programs/placement.hpp"

namespace {

constexpr const char* kProgram = "memory_bound";
// Start values repeat with this period, so that a serial replay needs few elements.
constexpr std::size_t kPeriod = 7;
constexpr int kRingTag = 1;

struct Settings {
  int elements = 1 << 20;
  int iterations = 25;
  int ring_elements = 1 << 13;
  programs::OutputFile placement;
};

// One element of the three arrays. A sweep replaces a, then b, then c; with these factors nothing
// grows or dies away.
struct Element {
  double a, b, c;

  static Element at_start(int rank, std::size_t index) {
    const double residue = static_cast<double>(index % kPeriod);
    return {0.0, 1.0 + residue, 2.0 + rank - residue / 8.0};
  }
  void sweep() {
    a = 0.25 * b + 0.75 * c;
    b = 0.5 * b + 0.5 * a;
    c = 0.5 * c + 0.5 * a;
  }
};

class Arrays {
 public:
  Arrays(const Settings& settings, int rank, int ranks)
      : ring_(static_cast<std::size_t>(settings.ring_elements)),
        right_((rank + 1) % ranks),
        left_((rank + ranks - 1) % ranks) {
    const auto size = static_cast<std::size_t>(settings.elements);
    a_.resize(size);
    b_.resize(size);
    c_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const Element start = Element::at_start(rank, i);
      a_[i] = start.a;
      b_[i] = start.b;
      c_[i] = start.c;
    }
  }

  // Each array is swept in a pass of its own: the passes, not the sums, set the time.
  void sweep() {
    const std::size_t size = a_.size();
    for (std::size_t i = 0; i < size; ++i) a_[i] = 0.25 * b_[i] + 0.75 * c_[i];
    for (std::size_t i = 0; i < size; ++i) b_[i] = 0.5 * b_[i] + 0.5 * a_[i];
    for (std::size_t i = 0; i < size; ++i) c_[i] = 0.5 * c_[i] + 0.5 * a_[i];
  }

  // The sum of all a, in as many partial sums as keep additions from waiting for one another.
  double sum() const {
    std::array<double, 8> partial{};
    std::size_t i = 0;
    for (; i + partial.size() <= a_.size(); i += partial.size())
      for (std::size_t p = 0; p < partial.size(); ++p) partial[p] += a_[i + p];
    double total = 0;
    for (; i < a_.size(); ++i) total += a_[i];
    for (const double part : partial) total += part;
    return total;
  }

  // The head of c becomes the left neighbour's head of a.
  void pass_around_ring() {
    const int count = static_cast<int>(ring_);
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(c_.data(), count, MPI_DOUBLE, left_, kRingTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(a_.data(), count, MPI_DOUBLE, right_, kRingTag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  }

  Element at(std::size_t i) const { return {a_[i], b_[i], c_[i]}; }

 private:
  std::vector<double> a_, b_, c_;
  std::size_t ring_;
  int right_;
  int left_;
};

// The same in a few numbers: an element of each start value on each rank, once with and once
// without the ring, by plain serial arithmetic.
class Replay {
 public:
  Replay(const Settings& settings, int ranks)
      : elements_(static_cast<std::size_t>(settings.elements)),
        ring_(static_cast<std::size_t>(settings.ring_elements)) {
    for (int rank = 0; rank < ranks; ++rank) {
      Residues start{};
      for (std::size_t r = 0; r < kPeriod; ++r) start[r] = Element::at_start(rank, r);
      head_.push_back(start);
      body_.push_back(start);
    }
  }

  void sweep() {
    for (auto* part : {&head_, &body_})
      for (Residues& residues : *part)
        for (Element& element : residues) element.sweep();
  }

  void pass_around_ring() {
    const std::vector<Residues> before = head_;
    for (std::size_t rank = 0; rank < head_.size(); ++rank)
      for (std::size_t r = 0; r < kPeriod; ++r)
        head_[rank][r].c = before[(rank + head_.size() - 1) % head_.size()][r].a;
  }

  double sum() const {
    double total = 0;
    for (std::size_t rank = 0; rank < head_.size(); ++rank)
      for (std::size_t r = 0; r < kPeriod; ++r) {
        const double in_head = static_cast<double>(count_of(r, ring_));
        const double in_all = static_cast<double>(count_of(r, elements_));
        total += in_head * head_[rank][r].a + (in_all - in_head) * body_[rank][r].a;
      }
    return total;
  }

  const Element& at(int rank, std::size_t i) const {
    return (i < ring_ ? head_ : body_)[static_cast<std::size_t>(rank)][i % kPeriod];
  }

 private:
  using Residues = std::array<Element, kPeriod>;

  // The number of the first `size` indices that leave this residue.
  static std::size_t count_of(std::size_t residue, std::size_t size) {
    return (size + kPeriod - 1 - residue) / kPeriod;
  }

  std::size_t elements_;
  std::size_t ring_;
  std::vector<Residues> head_, body_;
};

bool near(double found, double expected, double relative) {
  return std::abs(found - expected) <= relative * std::abs(expected);
}

bool elements_right(const Settings& settings, const Arrays& arrays, const Replay& replay,
                    int rank) {
  const auto same = [](double x, double y) { return near(x, y, 1e-13); };
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings.elements); ++i) {
    const Element found = arrays.at(i);
    const Element& expected = replay.at(rank, i);
    if (same(found.a, expected.a) && same(found.b, expected.b) && same(found.c, expected.c))
      continue;
    programs::report(
        kProgram, "element " + std::to_string(i) + ": found a, b, c = " + programs::shown(found.a) +
                      ", " + programs::shown(found.b) + ", " + programs::shown(found.c) +
                      "; expected " + programs::shown(expected.a) + ", " +
                      programs::shown(expected.b) + ", " + programs::shown(expected.c));
    return false;
  }
  return true;
}

bool run(const Settings& settings) {
  const int rank = programs::world_rank();
  Arrays arrays(settings, rank, programs::world_size());
  std::vector<double> sums(static_cast<std::size_t>(settings.iterations));
  const double start = programs::start_clock();
  for (double& sum : sums) {
    arrays.sweep();
    const double own = arrays.sum();
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    arrays.pass_around_ring();
  }
  programs::stop_clock(start);

  Replay replay(settings, programs::world_size());
  bool right = true;
  for (std::size_t iteration = 0; iteration < sums.size() && right; ++iteration) {
    replay.sweep();
    right = near(sums[iteration], replay.sum(), 1e-10);
    if (!right)
      programs::report(kProgram, "sum of iteration " + std::to_string(iteration + 1) + ": found " +
                                     programs::shown(sums[iteration]) + ", expected " +
                                     programs::shown(replay.sum()));
    replay.pass_around_ring();
  }
  right = right && elements_right(settings, arrays, replay, rank);
  return programs::everywhere(right);
}

}  // namespace

int main(int argc, char** argv) {
  const programs::MpiSession mpi(&argc, &argv);
  Settings settings;
  programs::CommandLine options(
      kProgram,
      "Sweeps over three arrays of 8-byte numbers, a sum over all ranks and a message around the\n"
      "ring of ranks after each; any number of ranks. Memory-bound if 24 * elements bytes exceed\n"
      "the caches. Checked against a serial replay.");
  options.number("--elements", &settings.elements, 1, 1 << 30, "numbers in each array of a rank");
  options.number("--iterations", &settings.iterations, 1, 1000000, "sweeps");
  options.number("--ring-elements", &settings.ring_elements, 0, 1 << 27,
                 "numbers in each message; at most --elements are sent");
  options.file("--placement", &settings.placement, "where to write each rank's node and PUs");
  if (const auto code = options.parse(argc, argv)) return *code;
  settings.ring_elements = std::min(settings.ring_elements, settings.elements);

  bool right = run(settings);
  if (settings.placement.given) right = programs::write_placement(settings.placement.path) && right;
  return right ? programs::kRight : programs::kWrong;
}
