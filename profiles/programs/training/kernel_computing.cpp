// Kernels that are bound by computing: all they need is in registers or in the first cache.
#include <array>
#include <cmath>
#include <numbers>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

class DenseMultiply : public Computation {
 public:
  DenseMultiply() {
    for (std::size_t i = 0; i < kRows * kRows; ++i) {
      a_[i] = static_cast<double>(i % 7) - 3;
      b_[i] = static_cast<double>(i % 5) - 2;
    }
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    for (std::uint64_t product = 0; product < kProducts; ++product) add_product(a_, b_, c_);
  }

  // Small whole numbers: sums of doubles are exact.
  std::string wrong(std::uint64_t passes) const override {
    std::array<double, kRows * kRows> once{};
    add_product(a_, b_, once);
    for (std::size_t i = 0; i < once.size(); ++i) {
      const double expected = once[i] * static_cast<double>(passes * kProducts);
      if (c_[i] != expected) return difference("an element of the product", c_[i], expected);
    }
    return {};
  }

 private:
  static constexpr std::size_t kRows = 48;
  static constexpr std::uint64_t kProducts = 24;
  using Matrix = std::array<double, kRows * kRows>;

  static void add_product(const Matrix& a, const Matrix& b, Matrix& c) {
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < kRows; ++k)
        for (std::size_t j = 0; j < kRows; ++j)
          c[i * kRows + j] += a[i * kRows + k] * b[k * kRows + j];
  }

  Matrix a_{};
  Matrix b_{};
  Matrix c_{};
};

class MonteCarlo : public Computation {
 public:
  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    std::uint64_t state = state_;
    std::uint64_t inside = 0;
    for (std::uint64_t i = 0; i < kPoints; ++i) {
      const double x = coordinate(state = Sequence::next(state));
      const double y = coordinate(state = Sequence::next(state));
      inside += x * x + y * y < 1 ? 1U : 0U;
    }
    state_ = state;
    inside_ += inside;
  }

  std::string wrong(std::uint64_t passes) const override {
    const std::uint64_t expected = Sequence::after(kSeed, 2 * kPoints * passes);
    if (state_ != expected) return difference("the state of the random numbers", state_, expected);
    if (passes == 0) return {};
    const auto points = static_cast<double>(passes * kPoints);
    const double found = 4 * static_cast<double>(inside_) / points;
    // Ten standard deviations of a fair count.
    const double tolerance = 10 * 4 * std::sqrt(0.17 / points);
    if (!(std::abs(found - std::numbers::pi) < tolerance))
      return difference("pi", found, std::numbers::pi);
    return {};
  }

 private:
  static constexpr std::uint64_t kPoints = 500000;
  static constexpr std::uint64_t kSeed = 42;

  static double coordinate(std::uint64_t state) {
    return static_cast<double>(static_cast<std::uint32_t>(Sequence::upper(state))) * 0x1p-32;
  }

  std::uint64_t state_ = kSeed;
  std::uint64_t inside_ = 0;
};

class Polynomial : public Computation {
 public:
  Polynomial() {
    for (std::size_t i = 0; i < kPoints; ++i)
      x_[i] = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / kPoints);
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    double sum = 0;
    for (const double x : x_) {
      double previous = 1;
      double current = x;
      for (int k = 1; k < kDegree; ++k) {
        const double next = 2 * x * current - previous;
        previous = current;
        current = next;
      }
      sum += current * current;
    }
    sum_of_squares_ += sum;
  }

  // The points are the roots of a polynomial of higher degree, over which Chebyshev's are
  // orthogonal: the sum of squares is half the number of points.
  std::string wrong(std::uint64_t passes) const override {
    const double expected = static_cast<double>(passes) * kPoints / 2;
    if (!(std::abs(sum_of_squares_ - expected) <= 1e-8 * expected))
      return difference("the sum of squares", sum_of_squares_, expected);
    return {};
  }

 private:
  static constexpr std::size_t kPoints = 1600;
  static constexpr int kDegree = 400;

  std::array<double, kPoints> x_{};
  double sum_of_squares_ = 0;
};

}  // namespace

ComputationPtr dense_multiply(std::size_t /*footprint*/) {
  return std::make_unique<DenseMultiply>();
}

ComputationPtr monte_carlo(std::size_t /*footprint*/) {
  return std::make_unique<MonteCarlo>();
}

ComputationPtr polynomial(std::size_t /*footprint*/) {
  return std::make_unique<Polynomial>();
}

}  // namespace huddle::calibration
