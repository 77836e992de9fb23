#pragma once

#include <compare>
#include <cstdint>

namespace huddle {

/// A number with a unit. Same units add and compare, a factor scales, and nothing else compiles.
template <class Tag, class Rep>
struct Quantity {
  Rep value{};

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return {a.value * factor}; }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return {factor * a.value}; }
  /// The ratio of two like quantities has no unit.
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.value) / static_cast<double>(b.value);
  }
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
};

using Seconds = Quantity<struct SecondsTag, double>;
using Joules = Quantity<struct JoulesTag, double>;
using Hertz = Quantity<struct HertzTag, double>;
using Watts = Quantity<struct WattsTag, double>;
using Bytes = Quantity<struct BytesTag, std::uint64_t>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;

}  // namespace huddle
