#include "aggregator/predict/communication/time_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace huddle::predict {
namespace {

// An empty message stands where one of half a byte would.
double log_of(double bytes) {
  return std::log2(std::max(bytes, 0.5));
}

double over(const LinkTime& link, double bytes) {
  return link.latency.value + bytes / link.bandwidth.value;
}

}  // namespace

TimeCurve::TimeCurve(const std::vector<TimeOfSize>& times, const LinkTime& link) : link_(link) {
  for (const TimeOfSize& known : times) {
    sizes_.push_back(static_cast<double>(known.bytes.value));
    knots_.push_back({log_of(sizes_.back()), std::log2(known.time.value), 0});
  }
  join_knots();
  seconds_per_byte_ = 1 / link.bandwidth.value;
  if (times.size() < 2) return;
  const TimeOfSize& last = times.back();
  const TimeOfSize& before = times[times.size() - 2];
  const Seconds more = last.time - before.time;
  if (more > Seconds{0})
    seconds_per_byte_ = more.value / static_cast<double>((last.bytes - before.bytes).value);
}

TimeCurve::TimeCurve(const std::vector<double>& sizes,
                     const std::function<double(double)>& seconds_at, const LinkTime& link)
    : link_(link), sizes_(sizes) {
  for (const double bytes : sizes)
    knots_.push_back({log_of(bytes), std::log2(seconds_at(bytes)), 0});
  join_knots();
  const double largest = std::max(sizes.back(), 1.0);
  const double more = seconds_at(2 * largest) - seconds_at(largest);
  seconds_per_byte_ = more > 0 ? more / largest : 1 / link.bandwidth.value;
}

void TimeCurve::join_knots() {
  for (std::size_t i = 0; i + 1 < knots_.size(); ++i)
    knots_[i].slope = (knots_[i + 1].time - knots_[i].time) / (knots_[i + 1].size - knots_[i].size);
}

double TimeCurve::seconds(double bytes) const {
  if (bytes >= sizes_.back())
    return std::exp2(knots_.back().time) + (bytes - sizes_.back()) * seconds_per_byte_;
  if (bytes <= sizes_.front())
    return std::exp2(knots_.front().time) * over(link_, bytes) / over(link_, sizes_.front());
  std::size_t next = 1;
  while (sizes_[next] <= bytes) ++next;
  const Knot& knot = knots_[next - 1];
  return std::exp2(knot.time + knot.slope * (log_of(bytes) - knot.size));
}

std::vector<double> sizes_of_both(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// With u = 1 / t and v = bytes / t: latency x u + v / bandwidth should be 1 for every message.
std::optional<LinkTime> fitted_link(const std::vector<TimeOfSize>& times) {
  double uu = 0;
  double uv = 0;
  double vv = 0;
  double u1 = 0;
  double v1 = 0;
  for (const TimeOfSize& known : times) {
    const double u = 1 / known.time.value;
    const double v = static_cast<double>(known.bytes.value) / known.time.value;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u1 += u;
    v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > 0)) return std::nullopt;
  const double latency = (u1 * vv - v1 * uv) / determinant;
  const double seconds_per_byte = (v1 * uu - u1 * uv) / determinant;
  if (!(latency > 0) || !(seconds_per_byte > 0)) return std::nullopt;
  return LinkTime{{latency}, {1 / seconds_per_byte}, times.front().origin};
}

}  // namespace huddle::predict
