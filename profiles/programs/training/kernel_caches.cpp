// Kernels that go through their data several times or at random: fast while it fits the cache.
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

// Transforms forth and back by turns, so that every second pass ends with what the first began
// with.
class Fourier : public Computation {
 public:
  explicit Fourier(std::size_t footprint)
      : size_(power_of_two_below(footprint / kBytesAPoint + 2)), points_(size_), roots_(size_ / 2) {
    points_[kPlace] = 1;
    for (std::size_t i = 0; i < roots_.size(); ++i) roots_[i] = root(i);
  }

  void compute(std::uint64_t pass, unsigned /*part*/, unsigned /*parts*/) override {
    const bool back = pass % 2 != 0;
    if (back) {
      decimate_in_time();
      const double share = 1 / static_cast<double>(size_);
      for (Complex& point : points_) point *= share;
    } else {
      decimate_in_frequency();
    }
  }

  // A single 1 at place p becomes the p-th powers of the roots of unity, in bit-reversed order.
  std::string wrong(std::uint64_t passes) const override {
    for (std::size_t i = 0; i < size_; ++i) {
      const Complex expected =
          passes % 2 != 0 ? root(bit_reversed(i) * kPlace) : Complex(i == kPlace ? 1.0 : 0.0);
      // Roundings of every pair of passes add up.
      if (!(std::abs(points_[i] - expected) <= 1e-13 * static_cast<double>(passes + 1000)))
        return difference("the distance of a point from the right one",
                          std::abs(points_[i] - expected), 0.0);
    }
    return {};
  }

 private:
  using Complex = std::complex<double>;
  static constexpr std::size_t kBytesAPoint = sizeof(Complex) + sizeof(Complex) / 2;
  static constexpr std::size_t kPlace = 1;

  [[nodiscard]] Complex root(std::size_t power) const {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(power % size_) / static_cast<double>(size_);
    return {std::cos(angle), std::sin(angle)};
  }

  [[nodiscard]] std::size_t bit_reversed(std::size_t index) const {
    std::size_t reversed = 0;
    for (std::size_t bit = 1; bit < size_; bit *= 2, index /= 2)
      reversed = reversed * 2 + index % 2;
    return reversed;
  }

  // std::complex's product looks for infinities, which cost more than the product.
  static Complex product(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  // Gentleman and Sande: strides halve, and the result is in bit-reversed order.
  void decimate_in_frequency() {
    for (std::size_t half = size_ / 2, step = 1; half > 0; half /= 2, step *= 2)
      for (std::size_t block = 0; block < size_; block += 2 * half)
        for (std::size_t i = 0; i < half; ++i) {
          Complex& a = points_[block + i];
          Complex& b = points_[block + i + half];
          const Complex distance = a - b;
          a += b;
          b = product(distance, roots_[i * step]);
        }
  }

  // Cooley and Tukey, from the bit-reversed order: strides double.
  void decimate_in_time() {
    for (std::size_t half = 1, step = size_ / 2; half < size_; half *= 2, step /= 2)
      for (std::size_t block = 0; block < size_; block += 2 * half)
        for (std::size_t i = 0; i < half; ++i) {
          Complex& a = points_[block + i];
          Complex& b = points_[block + i + half];
          const Complex turned = product(b, std::conj(roots_[i * step]));
          b = a - turned;
          a += turned;
        }
  }

  std::size_t size_;
  std::vector<Complex> points_;
  std::vector<Complex> roots_;
};

// Rows of a matrix in compressed form; all numbers are whole and small.
class SparseProduct : public Computation {
 public:
  explicit SparseProduct(std::size_t footprint)
      : rows_(power_of_two_below(footprint / kBytesARow + 1)),
        columns_(rows_ * kEntries),
        entries_(rows_ * kEntries),
        vector_(rows_),
        product_(rows_) {
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      state = Sequence::next(state);
      columns_[i] = static_cast<std::uint32_t>(Sequence::upper(state) & (rows_ - 1));
      entries_[i] = static_cast<double>(i % 5 + 1);
    }
    for (std::size_t i = 0; i < rows_; ++i) vector_[i] = static_cast<double>(i % 11);
  }

  void compute(std::uint64_t pass, unsigned /*part*/, unsigned /*parts*/) override {
    vector_[0] = static_cast<double>(pass % 7);
    for (std::size_t row = 0; row < rows_; ++row) product_[row] = product_of(row);
  }

  std::string wrong(std::uint64_t passes) const override {
    for (std::size_t row = 0; passes > 0 && row < rows_; ++row)
      if (product_[row] != product_of(row))
        return difference("an element of the product", product_[row], product_of(row));
    if (passes > 0 && vector_[0] != static_cast<double>((passes - 1) % 7))
      return difference("the vector's first element", vector_[0],
                        static_cast<double>((passes - 1) % 7));
    return {};
  }

 private:
  static constexpr std::size_t kEntries = 8;
  static constexpr std::size_t kBytesARow =
      kEntries * (sizeof(double) + sizeof(std::uint32_t)) + 2 * sizeof(double);

  [[nodiscard]] double product_of(std::size_t row) const {
    double sum = 0;
    for (std::size_t i = row * kEntries; i < (row + 1) * kEntries; ++i)
      sum += entries_[i] * vector_[columns_[i]];
    return sum;
  }

  std::size_t rows_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> entries_;
  std::vector<double> vector_;
  std::vector<double> product_;
};

class RadixSort : public Computation {
 public:
  explicit RadixSort(std::size_t footprint)
      : unsorted_(footprint / (3 * sizeof(std::uint32_t)) + 2),
        keys_(unsorted_.size()),
        other_(unsorted_.size()) {
    std::uint64_t state = 1;
    for (std::uint32_t& key : unsorted_) {
      state = Sequence::next(state);
      key = static_cast<std::uint32_t>(Sequence::upper(state));
    }
  }

  void compute(std::uint64_t pass, unsigned /*part*/, unsigned /*parts*/) override {
    unsorted_[0] = key_of(pass);
    scatter(unsorted_, keys_, 0);
    scatter(keys_, other_, 8);
    scatter(other_, keys_, 16);
    scatter(keys_, other_, 24);
  }

  // Ascending, and of the same sum and exclusive or as what was to be sorted.
  std::string wrong(std::uint64_t passes) const override {
    if (passes == 0) return {};
    std::uint64_t found = 0;
    std::uint64_t expected = 0;
    std::uint32_t found_bits = 0;
    std::uint32_t expected_bits = key_of(passes - 1) ^ unsorted_[0];
    for (std::size_t i = 0; i < other_.size(); ++i) {
      if (i > 0 && other_[i - 1] > other_[i])
        return difference("a key behind a larger one", std::uint64_t{other_[i]},
                          std::uint64_t{other_[i - 1]});
      found += other_[i];
      expected += unsorted_[i];
      found_bits ^= other_[i];
      expected_bits ^= unsorted_[i];
    }
    if (found != expected) return difference("the sum of the keys", found, expected);
    if (found_bits != expected_bits)
      return difference("the keys' bits", std::uint64_t{found_bits}, std::uint64_t{expected_bits});
    return {};
  }

 private:
  using Keys = std::vector<std::uint32_t>;

  static std::uint32_t key_of(std::uint64_t pass) {
    return static_cast<std::uint32_t>(Sequence::upper(Sequence::next(pass + 77)));
  }

  static void scatter(const Keys& from, Keys& to, unsigned shift) {
    std::array<std::size_t, 256> begins{};
    for (const std::uint32_t key : from) ++begins[key >> shift & 255U];
    std::size_t begin = 0;
    for (std::size_t& of_digit : begins) {
      const std::size_t count = of_digit;
      of_digit = begin;
      begin += count;
    }
    for (const std::uint32_t key : from) to[begins[key >> shift & 255U]++] = key;
  }

  Keys unsorted_;
  Keys keys_;
  Keys other_;
};

}  // namespace

ComputationPtr fourier(std::size_t footprint) {
  return std::make_unique<Fourier>(footprint);
}

ComputationPtr sparse_product(std::size_t footprint) {
  return std::make_unique<SparseProduct>(footprint);
}

ComputationPtr radix_sort(std::size_t footprint) {
  return std::make_unique<RadixSort>(footprint);
}

}  // namespace huddle::calibration
