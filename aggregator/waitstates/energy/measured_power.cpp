#include "aggregator/waitstates/energy/measured_power.hpp"

#include <algorithm>
#include <utility>

namespace huddle::waitstates {

NodePower::NodePower(const std::vector<const traces::TracePower*>& sensors, double ticks_per_second,
                     std::size_t threads)
    : threads_(static_cast<double>(threads)) {
  described_.node = sensors.front()->node;
  for (const traces::TracePower* const sensor : sensors) {
    const std::vector<traces::TracePower::Sample>& samples = sensor->samples;
    Series series;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double seconds =
          i == 0 ? 0
                 : static_cast<double>(samples[i].time - samples[i - 1].time) / ticks_per_second;
      series.times.push_back(samples[i].time);
      series.joules.push_back((i == 0 ? 0 : series.joules.back()) + seconds * samples[i].watts);
    }
    const bool first = series_.empty();
    described_.begin =
        first ? series.times.front() : std::max(described_.begin, series.times.front());
    described_.end = first ? series.times.back() : std::min(described_.end, series.times.back());
    described_.sensors.push_back(sensor->sensor);
    described_.samples += samples.size();
    series_.push_back(std::move(series));
  }
  if (described_.begin >= described_.end) return;
  double joules = 0;
  for (const Series& series : series_)
    joules += series.until(described_.end) - series.until(described_.begin);
  described_.mean_w =
      joules * ticks_per_second / static_cast<double>(described_.end - described_.begin);
}

// Within the series' times.
double NodePower::Series::until(std::uint64_t time) const {
  const auto behind = std::upper_bound(times.begin(), times.end(), time);
  if (behind == times.begin()) return 0;
  if (behind == times.end()) return joules.back();
  const auto i = static_cast<std::size_t>(behind - times.begin());
  const double share =
      static_cast<double>(time - times[i - 1]) / static_cast<double>(times[i] - times[i - 1]);
  return joules[i - 1] + share * (joules[i] - joules[i - 1]);
}

NodePower::Share NodePower::share(std::uint64_t from, std::uint64_t to) const {
  from = std::max(from, described_.begin);
  to = std::min(to, described_.end);
  if (from >= to) return {};
  Share share{0, to - from};
  for (const Series& series : series_) share.joules += series.until(to) - series.until(from);
  share.joules /= threads_;
  return share;
}

MeasuredPower::MeasuredPower(const std::vector<traces::TracePower>& power,
                             const traces::TraceDefinitions& definitions) {
  std::map<std::string, std::vector<const traces::TracePower*>> by_node;
  for (const traces::TracePower& one : power)
    if (!one.node.empty()) by_node[one.node].push_back(&one);
  std::map<std::string, std::size_t> threads;
  for (const traces::TraceLocation& location : definitions.locations)
    ++threads[definitions.ranks[location.rank].node];
  for (const auto& [node, sensors] : by_node) {
    const bool known =
        std::all_of(sensors.begin(), sensors.end(),
                    [](const traces::TracePower* sensor) { return sensor->samples.size() >= 2; });
    const auto found = threads.find(node);
    if (!known || found == threads.end()) continue;
    NodePower measured(sensors, static_cast<double>(definitions.ticks_per_second), found->second);
    if (measured.described().begin < measured.described().end)
      nodes_.emplace(node, std::move(measured));
  }
}

const NodePower* MeasuredPower::of(const traces::TraceDefinitions& definitions,
                                   std::uint32_t location) const {
  const auto found = nodes_.find(definitions.ranks[definitions.locations[location].rank].node);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::vector<MeasuredNode> MeasuredPower::nodes() const {
  std::vector<MeasuredNode> nodes;
  for (const auto& [name, power] : nodes_) nodes.push_back(power.described());
  return nodes;
}

}  // namespace huddle::waitstates
