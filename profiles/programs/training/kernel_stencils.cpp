// Kernels on grids. Each keeps a field that its operator leaves as it is, so that every point is
// known, while every sweep has to compute every point: the target is another array, or begins with
// another number.
#include <cmath>
#include <vector>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

std::size_t root_of(std::size_t number, double exponent) {
  return static_cast<std::size_t>(std::pow(static_cast<double>(number), exponent));
}

// The average of a point's six neighbours: a linear field stays.
class Cube {
 public:
  // Makes two arrays that together take `footprint`.
  explicit Cube(std::size_t footprint)
      : side_(std::max<std::size_t>(root_of(footprint / (2 * sizeof(double)), 1.0 / 3), 4)),
        field_(side_ * side_ * side_),
        next_(field_.size()) {
    for_all([&](std::size_t x, std::size_t y, std::size_t z) {
      const bool inner = inside(x) && inside(y) && inside(z);
      field_[index(x, y, z)] = value_at(x, y, z);
      next_[index(x, y, z)] = inner ? 0 : value_at(x, y, z);
    });
  }

  [[nodiscard]] std::size_t points() const { return field_.size(); }

  void sweep() {
    const double* const from = field_.data();
    double* const to = next_.data();
    const std::size_t plane = side_ * side_;
    for (std::size_t x = 1; x + 1 < side_; ++x)
      for (std::size_t y = 1; y + 1 < side_; ++y) {
        const std::size_t line = index(x, y, 0);
        for (std::size_t at = line + 1; at + 1 < line + side_; ++at)
          to[at] = (from[at - 1] + from[at + 1] + from[at - side_] + from[at + side_] +
                    from[at - plane] + from[at + plane]) *
                   (1.0 / 6);
      }
    field_.swap(next_);
  }

  // Roundings wander, by one in 10^16 each.
  [[nodiscard]] std::string wrong() const {
    std::string what;
    for_all([&](std::size_t x, std::size_t y, std::size_t z) {
      const double expected = value_at(x, y, z);
      const double found = field_[index(x, y, z)];
      if (what.empty() && !(std::abs(found - expected) <= 1e-9 * expected))
        what = difference("a point of the cube", found, expected);
    });
    return what;
  }

 private:
  template <class Visit>
  void for_all(Visit visit) const {
    for (std::size_t x = 0; x < side_; ++x)
      for (std::size_t y = 0; y < side_; ++y)
        for (std::size_t z = 0; z < side_; ++z) visit(x, y, z);
  }

  [[nodiscard]] bool inside(std::size_t x) const { return x > 0 && x + 1 < side_; }
  [[nodiscard]] std::size_t index(std::size_t x, std::size_t y, std::size_t z) const {
    return (x * side_ + y) * side_ + z;
  }
  static double value_at(std::size_t x, std::size_t y, std::size_t z) {
    return 1 + static_cast<double>(x + 2 * y + 3 * z);
  }

  std::size_t side_;
  std::vector<double> field_;
  std::vector<double> next_;
};

class Stencil : public Computation {
 public:
  Stencil(std::size_t footprint, std::size_t points_of_a_pass)
      : cube_(footprint), sweeps_(std::max<std::size_t>(points_of_a_pass / cube_.points(), 1)) {}

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    for (std::size_t i = 0; i < sweeps_; ++i) cube_.sweep();
  }

  std::string wrong(std::uint64_t /*passes*/) const override { return cube_.wrong(); }

 private:
  Cube cube_;
  std::size_t sweeps_;
};

// left + upper - upper left: the sum of a function of the row and one of the column stays. The
// upper and left borders change from pass to pass. Whole numbers: exact.
class Sweep : public Computation {
 public:
  explicit Sweep(std::size_t footprint)
      : side_(std::max<std::size_t>(root_of(footprint / sizeof(double), 0.5), kLeastSide)),
        sweeps_(std::max<std::size_t>(kPointsOfAPass / (side_ * side_), 1)),
        field_(side_ * side_) {}

  void compute(std::uint64_t pass, unsigned part, unsigned parts) override {
    if (part == 0) set_borders(pass);
    const std::size_t first = 1 + (side_ - 1) * part / parts;
    const std::size_t end = 1 + (side_ - 1) * (part + 1) / parts;
    for (std::size_t i = 0; i < sweeps_; ++i) sweep(first, end);
  }

  std::string wrong(std::uint64_t passes) const override {
    for (std::size_t row = 0; passes > 0 && row < side_; ++row)
      for (std::size_t column = 0; column < side_; ++column) {
        const double expected = value_at(passes - 1, row, column);
        const double found = field_[row * side_ + column];
        if (found != expected) return difference("a point of the square", found, expected);
      }
    return {};
  }

 private:
  static constexpr std::size_t kLeastSide = 16;
  static constexpr std::size_t kPointsOfAPass = 1000000;

  static double value_at(std::uint64_t pass, std::size_t row, std::size_t column) {
    return static_cast<double>(pass + row + 2 * column);
  }

  void set_borders(std::uint64_t pass) {
    for (std::size_t i = 0; i < side_; ++i) {
      field_[i] = value_at(pass, 0, i);
      field_[i * side_] = value_at(pass, i, 0);
    }
  }

  void sweep(std::size_t first, std::size_t end) {
    double* const field = field_.data();
    for (std::size_t row = first; row < end; ++row)
      for (std::size_t at = row * side_ + 1; at < (row + 1) * side_; ++at)
        field[at] = field[at - 1] + field[at - side_] - field[at - side_ - 1];
  }

  std::size_t side_;
  std::size_t sweeps_;
  std::vector<double> field_;
};

}  // namespace

ComputationPtr stencil(std::size_t footprint) {
  return std::make_unique<Stencil>(footprint, 1);
}

ComputationPtr blocked_stencil(std::size_t footprint) {
  constexpr std::size_t kPointsOfAPass = 2000000;
  return std::make_unique<Stencil>(footprint, kPointsOfAPass);
}

ComputationPtr sweep(std::size_t footprint) {
  return std::make_unique<Sweep>(footprint);
}

}  // namespace huddle::calibration
