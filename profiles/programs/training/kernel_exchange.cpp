#include "profiles/programs/training/kernel_exchange.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

constexpr unsigned kPartsOfAWavefront = 6;
constexpr int kTag = 1;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

std::size_t doubles_in(std::size_t bytes) {
  return std::max<std::size_t>(bytes / sizeof(double), 1);
}

// Returns the values that `rank` sends in a pass: whole numbers, exact.
double stamp(int rank, std::uint64_t pass) {
  return static_cast<double>(pass % 1000) * 10000000 + rank;
}

// A communicator of its own, freed with it.
class Communicator {
 public:
  Communicator() = default;
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  [[nodiscard]] MPI_Comm get() const { return handle_; }
  MPI_Comm* out() { return &handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

void make_grid(int dimensions, bool periodic, Communicator& grid) {
  std::array<int, 3> sizes{};
  const std::array<int, 3> periods = {periodic ? 1 : 0, periodic ? 1 : 0, periodic ? 1 : 0};
  MPI_Dims_create(world_size(), dimensions, sizes.data());
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes.data(), periods.data(), 0, grid.out());
}

// On a grid of one rank the neighbour is the rank itself.
class Halo : public Exchange {
 public:
  Halo(int dimensions, std::size_t bytes) : rank_(world_rank()), words_(doubles_in(bytes)) {
    make_grid(dimensions, true, grid_);
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      int before = 0;
      int behind = 0;
      MPI_Cart_shift(grid_.get(), dimension, 1, &before, &behind);
      neighbours_.push_back(before);
      neighbours_.push_back(behind);
    }
    sent_.resize(neighbours_.size() * words_);
    received_.resize(sent_.size());
    requests_.resize(2 * neighbours_.size());
  }

  // To the i-th neighbour goes the tag that this one receives by: of the opposite direction.
  void exchange(std::uint64_t pass) override {
    const std::size_t count = neighbours_.size();
    for (std::size_t i = 0; i < count; ++i) {
      sent_[i * words_] = stamp(rank_, pass);
      MPI_Irecv(&received_[i * words_], static_cast<int>(words_), MPI_DOUBLE, neighbours_[i],
                static_cast<int>(i), grid_.get(), &requests_[i]);
    }
    for (std::size_t i = 0; i < count; ++i)
      MPI_Isend(&sent_[i * words_], static_cast<int>(words_), MPI_DOUBLE, neighbours_[i],
                static_cast<int>(i ^ 1U), grid_.get(), &requests_[count + i]);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < count; ++i)
      check("what a neighbour sent", received_[i * words_], stamp(neighbours_[i], pass));
  }

 private:
  int rank_;
  std::size_t words_;
  Communicator grid_;
  std::vector<int> neighbours_;
  std::vector<double> sent_;
  std::vector<double> received_;
  std::vector<MPI_Request> requests_;
};

// Ranks without a partner in a round are left out of it. Ends with a sum, so that a rank without
// any partner has a delimiter, too.
class Butterfly : public Exchange {
 public:
  explicit Butterfly(std::size_t bytes)
      : rank_(world_rank()),
        size_(world_size()),
        sent_(doubles_in(bytes)),
        received_(sent_.size()) {}

  void exchange(std::uint64_t pass) override {
    for (int bit = 1; bit < size_; bit *= 2) {
      const int partner = rank_ ^ bit;
      if (partner >= size_) continue;
      sent_[0] = stamp(rank_, pass);
      MPI_Sendrecv(sent_.data(), static_cast<int>(sent_.size()), MPI_DOUBLE, partner, kTag,
                   received_.data(), static_cast<int>(received_.size()), MPI_DOUBLE, partner, kTag,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check("what a partner sent", received_[0], stamp(partner, pass));
    }
    const double one = 1;
    double sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check("the number of ranks", sum, size_);
  }

 private:
  int rank_;
  int size_;
  std::vector<double> sent_;
  std::vector<double> received_;
};

// Each part waits for the upper and the left neighbour, which hand on how far from the corner they
// are. Ends with a sum.
class Wavefront : public Exchange {
 public:
  explicit Wavefront(std::size_t bytes) : sent_(doubles_in(bytes)), received_(sent_.size()) {
    make_grid(2, false, grid_);
    MPI_Cart_shift(grid_.get(), 0, 1, &before_[0], &behind_[0]);
    MPI_Cart_shift(grid_.get(), 1, 1, &before_[1], &behind_[1]);
    std::array<int, 2> place{};
    MPI_Cart_coords(grid_.get(), world_rank(), 2, place.data());
    from_corner_ = place[0] + place[1];
  }

  void before_part(std::uint64_t pass, unsigned part) override {
    for (const int neighbour : before_) {
      if (neighbour == MPI_PROC_NULL) continue;
      MPI_Recv(received_.data(), static_cast<int>(received_.size()), MPI_DOUBLE, neighbour,
               static_cast<int>(part), grid_.get(), MPI_STATUS_IGNORE);
      check("what the wave brought", received_[0], stamp(from_corner_ - 1, pass));
    }
  }

  void after_part(std::uint64_t pass, unsigned part) override {
    sent_[0] = stamp(from_corner_, pass);
    for (const int neighbour : behind_)
      MPI_Send(sent_.data(), static_cast<int>(sent_.size()), MPI_DOUBLE, neighbour,
               static_cast<int>(part), grid_.get());
  }

  void exchange(std::uint64_t pass) override {
    const double mine = stamp(from_corner_, pass);
    double most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (most < mine) check("the farthest rank", most, mine);
  }

 private:
  Communicator grid_;
  std::array<int, 2> before_{};
  std::array<int, 2> behind_{};
  int from_corner_ = 0;
  std::vector<double> sent_;
  std::vector<double> received_;
};

class AllToAll : public Exchange {
 public:
  AllToAll(bool rows, std::size_t bytes) : words_(doubles_in(bytes)) {
    const int rank = world_rank();
    std::array<int, 2> sizes{};
    MPI_Dims_create(world_size(), 2, sizes.data());
    MPI_Comm_split(MPI_COMM_WORLD, rows ? rank / sizes[1] : 0, rank, among_.out());
    MPI_Comm_rank(among_.get(), &rank_);
    int size = 0;
    MPI_Comm_size(among_.get(), &size);
    size_ = static_cast<std::size_t>(size);
    sent_.resize(size_ * words_);
    received_.resize(sent_.size());
  }

  void exchange(std::uint64_t pass) override {
    for (std::size_t i = 0; i < size_; ++i)
      sent_[i * words_] = stamp(rank_, pass) + 1000.0 * static_cast<double>(i);
    MPI_Alltoall(sent_.data(), static_cast<int>(words_), MPI_DOUBLE, received_.data(),
                 static_cast<int>(words_), MPI_DOUBLE, among_.get());
    for (std::size_t i = 0; i < size_; ++i)
      check("what a rank had for this one", received_[i * words_],
            stamp(static_cast<int>(i), pass) + 1000.0 * rank_);
  }

 private:
  Communicator among_;
  std::size_t words_;
  int rank_ = 0;
  std::size_t size_ = 0;
  std::vector<double> sent_;
  std::vector<double> received_;
};

class Allreduce : public Exchange {
 public:
  explicit Allreduce(std::size_t bytes)
      : size_(world_size()), sent_(doubles_in(bytes), 1.0), received_(sent_.size()) {}

  void exchange(std::uint64_t pass) override {
    sent_[0] = static_cast<double>(pass % 1000);
    MPI_Allreduce(sent_.data(), received_.data(), static_cast<int>(sent_.size()), MPI_DOUBLE,
                  MPI_SUM, MPI_COMM_WORLD);
    check("the sum over the ranks", received_[0], sent_[0] * size_);
  }

 private:
  int size_;
  std::vector<double> sent_;
  std::vector<double> received_;
};

class Ring : public Exchange {
 public:
  explicit Ring(std::size_t bytes)
      : rank_(world_rank()),
        size_(world_size()),
        sent_(doubles_in(bytes)),
        received_(sent_.size()) {}

  void exchange(std::uint64_t pass) override {
    const int root = static_cast<int>(pass % static_cast<std::uint64_t>(size_));
    double announced = stamp(root, pass);
    MPI_Bcast(&announced, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    check("what was broadcast", announced, stamp(root, pass));
    const int left = (rank_ + size_ - 1) % size_;
    sent_[0] = stamp(rank_, pass);
    std::array<MPI_Request, 2> requests{};
    const auto words = static_cast<int>(sent_.size());
    MPI_Irecv(received_.data(), words, MPI_DOUBLE, left, kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent_.data(), words, MPI_DOUBLE, (rank_ + 1) % size_, kTag, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    check("what the left neighbour sent", received_[0], stamp(left, pass));
  }

 private:
  int rank_;
  int size_;
  std::vector<double> sent_;
  std::vector<double> received_;
};

}  // namespace

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::kHalo2d:
      return "halo-2d";
    case Shape::kHalo3d:
      return "halo-3d";
    case Shape::kButterfly:
      return "butterfly";
    case Shape::kWavefront:
      return "wavefront";
    case Shape::kAllToAll:
      return "all-to-all";
    case Shape::kRowsAllToAll:
      return "rows-all-to-all";
    case Shape::kAllreduce:
      return "allreduce";
    case Shape::kRing:
      return "ring";
  }
  return "";
}

unsigned parts_of(Shape shape) {
  return shape == Shape::kWavefront ? kPartsOfAWavefront : 1;
}

void Exchange::check(const char* what, double found, double expected) {
  if (found != expected && wrong_.empty()) wrong_ = difference(what, found, expected);
}

std::unique_ptr<Exchange> make_exchange(Shape shape, std::size_t bytes) {
  switch (shape) {
    case Shape::kHalo2d:
      return std::make_unique<Halo>(2, bytes);
    case Shape::kHalo3d:
      return std::make_unique<Halo>(3, bytes);
    case Shape::kButterfly:
      return std::make_unique<Butterfly>(bytes);
    case Shape::kWavefront:
      return std::make_unique<Wavefront>(bytes);
    case Shape::kAllToAll:
      return std::make_unique<AllToAll>(false, bytes);
    case Shape::kRowsAllToAll:
      return std::make_unique<AllToAll>(true, bytes);
    case Shape::kAllreduce:
      return std::make_unique<Allreduce>(bytes);
    case Shape::kRing:
      return std::make_unique<Ring>(bytes);
  }
  return nullptr;
}

}  // namespace huddle::calibration
