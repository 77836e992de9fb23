#include "profiles/traces/read/detail/power_events.hpp"

#include <bit>
#include <optional>
#include <unordered_map>

#include "profiles/traces/detail/power_metrics.hpp"
#include "profiles/traces/read/detail/id_table.hpp"

namespace huddle::otf2 {
namespace {

constexpr std::uint8_t kOfTreeNode = 2;  // OTF2_SCOPE_SYSTEM_TREE_NODE
constexpr std::uint8_t kDouble = 10;     // OTF2_TYPE_DOUBLE
// No node draws more; sums of such values stay in their range.
constexpr double kMostWatts = 1e9;

struct Value {
  std::uint32_t instance = 0;
  double watts = 0;
};

// Nothing if it is of another form than the recorder's.
std::optional<Value> value_in(RecordFields fields) {
  Value value;
  value.instance = fields.number32();
  if (fields.byte() != 1 || fields.byte() != kDouble) return std::nullopt;
  value.watts = std::bit_cast<double>(fields.number());
  if (!fields.sound() || !(value.watts >= 0 && value.watts <= kMostWatts)) return std::nullopt;
  return value;
}

}  // namespace

std::vector<PowerMetric> resolve_power(const GlobalDefinitions& raw) {
  const IdTable members = index_of(raw.metric_members);
  const IdTable classes = index_of(raw.metric_classes);
  const IdTable locations = index_of(raw.locations);
  const IdTable groups = index_of(raw.location_groups);
  const IdTable nodes = index_of(raw.nodes);
  std::vector<PowerMetric> power;
  for (const GlobalDefinitions::MetricInstance& instance : raw.metric_instances) {
    const std::uint32_t of_class = classes.at(instance.metric_class);
    const std::uint32_t location = locations.at(instance.recorder);
    if (of_class == traces::kNobody || location == traces::kNobody ||
        instance.scope_type != kOfTreeNode)
      continue;
    const GlobalDefinitions::MetricClass& metrics = raw.metric_classes[of_class];
    const std::uint32_t member = members.at(metrics.first_member);
    if (metrics.members != 1 || member == traces::kNobody) continue;
    if (raw.text(raw.metric_members[member].description) != traces::kPowerDescription) continue;
    const std::uint32_t node = nodes.at(instance.scope);
    const std::uint32_t group = groups.at(raw.locations[location].group);
    power.push_back({instance.id, instance.recorder, group == traces::kNobody ? 0 : group,
                     node == traces::kNobody ? "" : cut_name(raw.text(raw.nodes[node].name)),
                     cut_name(raw.text(raw.metric_members[member].name))});
  }
  return power;
}

void read_power(const ResolvedTrace& trace, std::uint64_t location, EventRecords records,
                std::size_t& left, std::vector<traces::TracePower>& power) {
  std::unordered_map<std::uint32_t, traces::TracePower*> by_instance;
  for (std::size_t i = 0; i < trace.power.size(); ++i)
    if (trace.power[i].location == location) by_instance[trace.power[i].instance] = &power[i];
  while (left > 0 && records.next()) {
    if (records.type() != kMetric) continue;
    const std::optional<Value> value = value_in(records.fields());
    const auto found = value ? by_instance.find(value->instance) : by_instance.end();
    if (found == by_instance.end()) continue;
    const std::uint64_t time = records.time() > trace.begin ? records.time() - trace.begin : 0;
    std::vector<traces::TracePower::Sample>& samples = found->second->samples;
    if (!samples.empty() && time < samples.back().time) continue;
    samples.push_back({time, value->watts});
    --left;
  }
}

}  // namespace huddle::otf2
