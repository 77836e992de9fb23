#include "profiles/energyd/daemon/energy_metrics.hpp"

#include <utility>

#include "profiles/formats/document/metric_family.hpp"

namespace huddle::energyd {
namespace {

using Kind = MetricFamily::Kind;
using Labels = std::vector<std::pair<std::string_view, std::string>>;

Labels labels_of(const AnsweredSensor& sensor) {
  return {{"sensor", sensor.name},
          {"covers", sensor.covers},
          {"from", sensor.measures == "power" ? "integrated power" : "counted energy"},
          {"part_of_sum", sensor.in_sum ? "yes" : "no"}};
}

}  // namespace

std::string energy_metrics(const std::vector<AnsweredSensor>& sensors, std::size_t steps) {
  MetricFamily energy("huddle_energy_joules_total",
                      "Energy since the machine was started, as far as it is known. Of sensors "
                      "that are part of the sum, none counts what another one does.",
                      Kind::kCounter);
  MetricFamily unattributed("huddle_energy_unattributed_joules_total",
                            "Energy that belongs to no job.", Kind::kCounter);
  MetricFamily known("huddle_energy_known_seconds_total", "Time that the energy is known of.",
                     Kind::kCounter);
  MetricFamily lost("huddle_energy_lost_seconds_total", "Time that no energy is known of.",
                    Kind::kCounter);
  MetricFamily well("huddle_energy_sensor_well", "1 if the sensor can be read and believed.");
  for (const AnsweredSensor& sensor : sensors) {
    const Labels labels = labels_of(sensor);
    energy.add(sensor.energy.value, labels);
    if (sensor.in_sum) unattributed.add(sensor.unattributed.value, labels);
    known.add(sensor.known.value, labels);
    lost.add(sensor.lost.value, labels);
    well.add(sensor.trouble.empty() ? 1 : 0, labels);
  }
  MetricFamily running("huddle_energy_steps", "Steps of jobs that run on this node.");
  running.add(static_cast<double>(steps));
  return energy.text() + unattributed.text() + known.text() + lost.text() + well.text() +
         running.text();
}

}  // namespace huddle::energyd
