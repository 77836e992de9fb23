#include "aggregator/predict/communication/link_fit.hpp"

namespace huddle {

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

}  // namespace huddle
