#include "aggregator/predict/computation/detail/simplex_search.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::predict {
namespace {

class Simplex {
 public:
  Simplex(const std::function<double(const std::vector<double>&)>& function,
          const std::vector<double>& start, double step)
      : function_(function) {
    add(start);
    for (std::size_t i = 0; i < start.size(); ++i) {
      std::vector<double> corner = start;
      corner[i] += step;
      add(corner);
    }
    sort();
  }

  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }
  [[nodiscard]] const Minimum& best() const { return corners_.front(); }
  [[nodiscard]] bool settled(double tolerance) const {
    return corners_.back().value - corners_.front().value <=
           tolerance * (std::abs(corners_.front().value) + 1e-12);
  }

  void step() {
    const Minimum reflected = towards(-1);
    if (reflected.value < corners_.front().value) {
      const Minimum expanded = towards(-2);
      corners_.back() = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < corners_[corners_.size() - 2].value) {
      corners_.back() = reflected;
    } else {
      const Minimum contracted = towards(reflected.value < corners_.back().value ? -0.5 : 0.5);
      if (contracted.value < std::min(reflected.value, corners_.back().value))
        corners_.back() = contracted;
      else
        shrink();
    }
    sort();
  }

 private:
  void add(const std::vector<double>& at) { corners_.push_back({at, evaluate(at)}); }

  double evaluate(const std::vector<double>& at) {
    ++evaluations_;
    return function_(at);
  }

  // The point `share` of the way from the middle of the other corners to the worst one.
  Minimum towards(double share) {
    const std::size_t others = corners_.size() - 1;
    std::vector<double> at(others, 0.0);
    for (std::size_t axis = 0; axis < others; ++axis) {
      double middle = 0;
      for (std::size_t i = 0; i < others; ++i) middle += corners_[i].at[axis];
      middle /= static_cast<double>(others);
      at[axis] = middle + share * (corners_.back().at[axis] - middle);
    }
    const double value = evaluate(at);
    return {std::move(at), value};
  }

  void shrink() {
    for (std::size_t i = 1; i < corners_.size(); ++i) {
      for (std::size_t axis = 0; axis < corners_[i].at.size(); ++axis)
        corners_[i].at[axis] = (corners_[i].at[axis] + corners_.front().at[axis]) / 2;
      corners_[i].value = evaluate(corners_[i].at);
    }
  }

  void sort() {
    std::stable_sort(corners_.begin(), corners_.end(),
                     [](const Minimum& a, const Minimum& b) { return a.value < b.value; });
  }

  const std::function<double(const std::vector<double>&)>& function_;
  std::vector<Minimum> corners_;
  std::size_t evaluations_ = 0;
};

}  // namespace

Minimum search_minimum(const std::function<double(const std::vector<double>&)>& function,
                       std::vector<double> start, const SimplexOptions& options) {
  if (start.empty()) return {start, function(start)};
  Simplex simplex(function, start, options.step);
  while (simplex.evaluations() < options.evaluations && !simplex.settled(options.tolerance))
    simplex.step();
  return simplex.best();
}

}  // namespace huddle::predict
