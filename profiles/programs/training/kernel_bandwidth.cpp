// Kernels that are bound by the bandwidth of memory: they stream through arrays.
#include <cmath>
#include <vector>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

std::size_t doubles_in(std::size_t bytes, std::size_t arrays) {
  return bytes / (arrays * sizeof(double)) + 1;
}

// Small whole numbers, so that sums are exact.
double small_number(std::size_t index) {
  return static_cast<double>(index % 13);
}

double scale_of(std::uint64_t pass) {
  return static_cast<double>(pass % 5 + 1);
}

class Triad : public Computation {
 public:
  explicit Triad(std::size_t footprint)
      : a_(doubles_in(footprint, 3)), b_(a_.size()), c_(a_.size()) {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      b_[i] = small_number(i);
      c_[i] = small_number(i / 7);
    }
  }

  void compute(std::uint64_t pass, unsigned /*part*/, unsigned /*parts*/) override {
    const double scale = scale_of(pass);
    double* const a = a_.data();
    const double* const b = b_.data();
    const double* const c = c_.data();
    const std::size_t size = a_.size();
    for (std::size_t i = 0; i < size; ++i) a[i] = b[i] + scale * c[i];
  }

  std::string wrong(std::uint64_t passes) const override {
    for (std::size_t i = 0; passes > 0 && i < a_.size(); ++i) {
      const double expected = b_[i] + scale_of(passes - 1) * c_[i];
      if (a_[i] != expected) return difference("an element", a_[i], expected);
    }
    return {};
  }

 private:
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
};

// Back and forth; the first element counts passes, so that no copy can be left out.
class Copy : public Computation {
 public:
  explicit Copy(std::size_t footprint) : from_(doubles_in(footprint, 2)), to_(from_.size()) {
    for (std::size_t i = 1; i < from_.size(); ++i) from_[i] = small_number(i);
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    from_[0] += 1;
    double* const to = to_.data();
    const double* const from = from_.data();
    const std::size_t size = to_.size();
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
    from_.swap(to_);
  }

  std::string wrong(std::uint64_t passes) const override {
    if (from_[0] != static_cast<double>(passes))
      return difference("the first element", from_[0], static_cast<double>(passes));
    for (std::size_t i = 1; i < from_.size(); ++i)
      if (from_[i] != small_number(i)) return difference("an element", from_[i], small_number(i));
    return {};
  }

 private:
  std::vector<double> from_;
  std::vector<double> to_;
};

class DotProduct : public Computation {
 public:
  explicit DotProduct(std::size_t footprint) : a_(doubles_in(footprint, 2)), b_(a_.size()) {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      a_[i] = small_number(i);
      b_[i] = small_number(i / 3);
    }
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    sum_ += product();
  }

  std::string wrong(std::uint64_t passes) const override {
    double expected = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) expected += small_number(i) * small_number(i / 3);
    expected *= static_cast<double>(passes);
    return sum_ == expected ? "" : difference("the product", sum_, expected);
  }

 private:
  // Four sums, so that additions don't wait for one another.
  [[nodiscard]] double product() const {
    double sums[4] = {};
    const std::size_t whole = a_.size() / 4 * 4;
    for (std::size_t i = 0; i < whole; i += 4)
      for (std::size_t k = 0; k < 4; ++k) sums[k] += a_[i + k] * b_[i + k];
    for (std::size_t i = whole; i < a_.size(); ++i) sums[0] += a_[i] * b_[i];
    return sums[0] + sums[1] + sums[2] + sums[3];
  }

  std::vector<double> a_;
  std::vector<double> b_;
  double sum_ = 0;
};

class Transpose : public Computation {
 public:
  explicit Transpose(std::size_t footprint)
      : rows_(
            (static_cast<std::size_t>(std::sqrt(static_cast<double>(footprint) / 16)) / kTile + 1) *
            kTile),
        from_(rows_ * rows_),
        to_(rows_ * rows_) {
    for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = static_cast<double>(i);
  }

  void compute(std::uint64_t /*pass*/, unsigned /*part*/, unsigned /*parts*/) override {
    for (std::size_t row = 0; row < rows_; row += kTile)
      for (std::size_t column = 0; column < rows_; column += kTile) turn_tile(row, column);
    from_.swap(to_);
  }

  // Transposed twice, it is as it was.
  std::string wrong(std::uint64_t passes) const override {
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t column = 0; column < rows_; ++column) {
        const std::size_t source = passes % 2 == 0 ? row * rows_ + column : column * rows_ + row;
        const double found = from_[row * rows_ + column];
        if (found != static_cast<double>(source))
          return difference("an element", found, static_cast<double>(source));
      }
    return {};
  }

 private:
  static constexpr std::size_t kTile = 8;

  void turn_tile(std::size_t row, std::size_t column) {
    for (std::size_t i = row; i < row + kTile; ++i)
      for (std::size_t k = column; k < column + kTile; ++k)
        to_[k * rows_ + i] = from_[i * rows_ + k];
  }

  std::size_t rows_;
  std::vector<double> from_;
  std::vector<double> to_;
};

}  // namespace

ComputationPtr triad(std::size_t footprint) {
  return std::make_unique<Triad>(footprint);
}

ComputationPtr copy(std::size_t footprint) {
  return std::make_unique<Copy>(footprint);
}

ComputationPtr dot_product(std::size_t footprint) {
  return std::make_unique<DotProduct>(footprint);
}

ComputationPtr transpose(std::size_t footprint) {
  return std::make_unique<Transpose>(footprint);
}

}  // namespace huddle::calibration
