#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "profiles/formats/machine/machine.hpp"

namespace huddle::predict {

/// A time by size in bytes, from a few sizes whose times are known. Between them the logarithm of
/// the time goes straight over the logarithm of the size, so that times stay in proportion over
/// orders of magnitude. Below the smallest size the time shrinks as that of a message over `link`
/// does; above the largest it grows by a constant number of seconds a byte: what the last two sizes
/// show, or the link's where that is nothing. Immutable.
class TimeCurve {
 public:
  /// `times`: one or more, ascending by bytes, none twice.
  TimeCurve(const std::vector<TimeOfSize>& times, const LinkTime& link);

  /// The curve through `seconds_at(bytes)` at these sizes (one or more, ascending, none twice).
  TimeCurve(const std::vector<double>& sizes, const std::function<double(double)>& seconds_at,
            const LinkTime& link);

  /// For `bytes` >= 0.
  [[nodiscard]] double seconds(double bytes) const;

  /// The sizes that it was made from.
  [[nodiscard]] const std::vector<double>& sizes() const { return sizes_; }
  /// Returns the bytes that more time carries in each second, beyond the largest size.
  [[nodiscard]] double bytes_per_second_beyond() const { return 1 / seconds_per_byte_; }

 private:
  struct Knot {
    /// log2 of bytes and seconds, and how the latter grows up to the next knot.
    double size = 0;
    double time = 0;
    double slope = 0;
  };

  void join_knots();

  LinkTime link_;
  std::vector<double> sizes_;
  std::vector<Knot> knots_;
  double seconds_per_byte_ = 0;
};

/// Returns the sizes in `a` or `b`, both ascending; none twice.
std::vector<double> sizes_of_both(const std::vector<double>& a, const std::vector<double>& b);

/// Latency and bandwidth that come nearest to these times of messages (one or more sizes): the sum
/// of squared relative errors is least, so that small and large messages count alike. Nothing if
/// the times do not grow with the size, or take no time without it. The origin is that of the first
/// one.
std::optional<LinkTime> fitted_link(const std::vector<TimeOfSize>& times);

}  // namespace huddle::predict
