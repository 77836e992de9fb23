#include "aggregator/efficiency/detail/openmp_time.hpp"

#include <algorithm>

namespace huddle::efficiency {
namespace {

constexpr double kLeastKnown = 0.9;
// Regions are timed by sample, so that their sum may be a little more than there was.
constexpr double kRounding = 1.05;

Seconds at_least_none(Seconds time) {
  return std::max(time, Seconds{});
}

bool work_is_known(const OpenMpRegionRecord& region) {
  return region.smallest_team == region.largest_team &&
         (region.observed_passes > 0 || region.largest_team == 1);
}

}  // namespace

void OpenMpTime::add(std::span<const OpenMpRegionRecord> regions, std::uint32_t threads,
                     Seconds outside) {
  Seconds inside;
  for (const OpenMpRegionRecord& region : regions) {
    const Seconds wall = region.mean * static_cast<double>(region.passes);
    inside += wall;
    if (!work_is_known(region)) {
      unknown_ += wall * threads;
      continue;
    }
    const double team = region.largest_team;
    const double members = team * static_cast<double>(region.passes);
    const Seconds busiest = region.largest_team == 1 ? region.mean : region.busiest;
    const Seconds busy = region.largest_team == 1 ? region.mean : region.busy;
    useful_ += busy * members;
    imbalance_ += at_least_none(busiest - busy) * members;
    scheduling_ += at_least_none(region.mean - busiest) * members;
    serial_lost_ += wall * (threads - team);
  }
  contradicts_ = contradicts_ || inside > outside * kRounding;
  const Seconds serial = at_least_none(outside - inside);
  serial_ += serial;
  serial_lost_ += serial * (threads - 1.0);
}

double OpenMpTime::known_share() const {
  const Seconds all = known() + unknown_;
  return all > Seconds{} ? known() / all : 1;
}

std::optional<OpenMpEfficiency> OpenMpTime::efficiency() const {
  if (contradicts_ || known_share() < kLeastKnown) return std::nullopt;
  if (serial_ + known() <= Seconds{}) return std::nullopt;
  const double all_by_known = 1 / known_share();
  const Seconds useful = serial_ + useful_ * all_by_known;
  const Seconds with_serial = useful + serial_lost_;
  const Seconds with_imbalance = with_serial + imbalance_ * all_by_known;
  const Seconds all = with_imbalance + scheduling_ * all_by_known;
  return OpenMpEfficiency{with_serial / with_imbalance, with_imbalance / all, useful / with_serial};
}

std::uint32_t threads_of(std::span<const OpenMpRegionRecord> regions) {
  std::uint32_t threads = 1;
  for (const OpenMpRegionRecord& region : regions) threads = std::max(threads, region.largest_team);
  return threads;
}

}  // namespace huddle::efficiency
