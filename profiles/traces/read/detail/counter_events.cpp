#include "profiles/traces/read/detail/counter_events.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "profiles/traces/detail/power_metrics.hpp"

namespace huddle::otf2 {
namespace {

constexpr std::uint8_t kValueMask = 15;    // OTF2_METRIC_VALUE_MASK
constexpr std::uint8_t kTimingMask = 240;  // OTF2_METRIC_TIMING_MASK
constexpr std::uint8_t kTimingLast = 32;   // OTF2_METRIC_TIMING_LAST
constexpr std::uint8_t kAbsolute = 1;      // OTF2_METRIC_VALUE_ABSOLUTE
constexpr std::uint8_t kRelative = 2;      // OTF2_METRIC_VALUE_RELATIVE
constexpr std::uint8_t kDecimal = 1;       // OTF2_BASE_DECIMAL
constexpr std::uint8_t kStrict = 0;        // OTF2_METRIC_SYNCHRONOUS_STRICT
constexpr std::size_t kMostCounters = 10'000;
constexpr std::uint8_t kOfLocation = 0;  // OTF2_SCOPE_LOCATION

// OTF2_Type.
constexpr std::uint8_t kTypeUint8 = 1, kTypeUint64 = 4, kTypeInt8 = 5, kTypeInt64 = 8,
                       kTypeFloat = 9, kTypeDouble = 10;

TraceCounter::Mode mode_of(std::uint8_t mode) {
  if ((mode & kValueMask) == kAbsolute)
    return (mode & kTimingMask) == kTimingLast ? TraceCounter::Mode::kLevelBefore
                                               : TraceCounter::Mode::kLevel;
  return (mode & kValueMask) == kRelative ? TraceCounter::Mode::kSinceLast
                                          : TraceCounter::Mode::kSinceStart;
}

double scale_of(const GlobalDefinitions::MetricMember& member) {
  constexpr std::int64_t kLargest = 300;  // what a double holds
  if (member.exponent == 0 || member.exponent < -kLargest || member.exponent > kLargest) return 1;
  return std::pow(member.base == kDecimal ? 10.0 : 2.0, static_cast<double>(member.exponent));
}

// Takes a value; false for a type that holds no number.
bool take_value(RecordFields& fields, std::uint8_t type, CounterValue& value) {
  value.bits = fields.number();
  if (type >= kTypeUint8 && type <= kTypeUint64) {
    value.type = CounterValue::Type::kUnsigned;
  } else if (type >= kTypeInt8 && type <= kTypeInt64) {
    value.type = CounterValue::Type::kSigned;
  } else if (type == kTypeDouble) {
    value.type = CounterValue::Type::kDouble;
  } else if (type == kTypeFloat) {
    value.type = CounterValue::Type::kDouble;
    const auto low = static_cast<std::uint32_t>(value.bits);
    value.bits = std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(low)});
  } else {
    return false;
  }
  return value.type != CounterValue::Type::kDouble ||
         std::isfinite(std::bit_cast<double>(value.bits));
}

}  // namespace

CounterTable resolve_counters(const GlobalDefinitions& raw) {
  const IdTable members = index_of(raw.metric_members);
  const IdTable classes = index_of(raw.metric_classes);
  CounterTable table;
  const auto none = std::make_shared<const CounterTable::Members>();
  std::vector<std::shared_ptr<const CounterTable::Members>> of_class(raw.metric_classes.size());
  std::uint32_t next_set = 0;
  const auto add_class = [&](std::uint32_t index) {
    const GlobalDefinitions::MetricClass& metrics = raw.metric_classes[index];
    if (of_class[index]) return of_class[index];
    of_class[index] = none;
    // The values of a set with a member that is not defined can't be assigned.
    const bool defined = std::ranges::all_of(
        metrics.all_members, [&](std::uint32_t id) { return members.at(id) != kNobody; });
    if (!defined || metrics.all_members.empty() ||
        table.counters.size() + metrics.all_members.size() > kMostCounters)
      return none;
    CounterTable::Members found;
    for (const std::uint32_t id : metrics.all_members) {
      const GlobalDefinitions::MetricMember& member = raw.metric_members[members.at(id)];
      found.push_back({static_cast<std::uint32_t>(table.counters.size()), scale_of(member)});
      table.counters.push_back({cut_name(raw.text(member.name)), cut_name(raw.text(member.unit)),
                                mode_of(member.mode), next_set, metrics.occurrence == kStrict});
    }
    ++next_set;
    return of_class[index] = std::make_shared<const CounterTable::Members>(std::move(found));
  };
  std::vector<bool> has_instance(raw.metric_classes.size());
  for (const GlobalDefinitions::MetricInstance& instance : raw.metric_instances) {
    const std::uint32_t index = classes.at(instance.metric_class);
    if (index == kNobody) continue;
    has_instance[index] = true;
    if (instance.scope_type == kOfLocation && instance.scope == instance.recorder) {
      table.sets.try_emplace(instance.id, add_class(index));
      continue;
    }
    const GlobalDefinitions::MetricClass& metrics = raw.metric_classes[index];
    const std::uint32_t first = members.at(metrics.first_member);
    const bool is_power =
        first != kNobody && raw.text(raw.metric_members[first].description) == kPowerDescription;
    if (!is_power) table.others += metrics.members;
  }
  for (std::uint32_t index = 0; index < raw.metric_classes.size(); ++index)
    if (!has_instance[index])
      table.sets.try_emplace(raw.metric_classes[index].id, add_class(index));
  return table;
}

std::vector<CounterValue> counter_values(
    RecordFields fields, const CounterTable& table,
    const std::unordered_map<std::uint64_t, std::uint64_t>& own) {
  std::uint32_t set = fields.number32();
  if (const auto mapped = own.find(set); mapped != own.end())
    set = static_cast<std::uint32_t>(mapped->second);
  const auto known = table.sets.find(set);
  const std::uint8_t count = fields.byte();
  if (known == table.sets.end() || count != known->second->size()) return {};
  std::vector<CounterValue> values;
  for (std::uint8_t i = 0; i < count && fields.sound(); ++i) {
    CounterValue value;
    value.counter = (*known->second)[i].counter;
    value.scale = (*known->second)[i].scale;
    const std::uint8_t type = fields.byte();
    if (take_value(fields, type, value)) values.push_back(value);
  }
  if (!fields.sound()) values.clear();
  return values;
}

}  // namespace huddle::otf2

namespace huddle {

double CounterValue::value() const {
  switch (type) {
    case Type::kUnsigned:
      return scale * static_cast<double>(bits);
    case Type::kSigned:
      return scale * static_cast<double>(static_cast<std::int64_t>(bits));
    case Type::kDouble:
      break;
  }
  return scale * std::bit_cast<double>(bits);
}

double amount_between(const CounterValue& earlier, const CounterValue& later) {
  if (later.type == CounterValue::Type::kDouble || earlier.type != later.type)
    return later.value() - earlier.value();
  return later.scale * static_cast<double>(static_cast<std::int64_t>(later.bits - earlier.bits));
}

}  // namespace huddle
