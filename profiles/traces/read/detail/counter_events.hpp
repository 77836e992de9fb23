#pragma once

// Which of an archive's metrics are counters that locations recorded of themselves, and their
// values.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "profiles/traces/counters.hpp"
#include "profiles/traces/read/detail/definitions.hpp"
#include "profiles/traces/read/detail/id_table.hpp"
#include "profiles/traces/read/detail/record_fields.hpp"

namespace huddle::otf2 {

/// Receives what the counters of a location's own show, while its events are read.
class MetricSink {
 public:
  virtual ~MetricSink() = default;
  virtual void metric(std::uint64_t time, RecordFields fields) = 0;
};

/// The counters of an archive, and how their values are written.
struct CounterTable {
  std::vector<TraceCounter> counters;
  struct Member {
    std::uint32_t counter = 0;
    double scale = 1;
  };
  using Members = std::vector<Member>;
  /// By number of a class, or of an instance of one: its members in their order. Instances share
  /// those of their class.
  std::unordered_map<std::uint32_t, std::shared_ptr<const Members>> sets;
  std::uint32_t others = 0;  ///< members of instances that are of something else than a location
};

/// References that name nothing are left out, and so are classes beyond 10,000 counters in all: no
/// tool has as many, and a small file could ask for gigabytes.
CounterTable resolve_counters(const GlobalDefinitions& raw);

/// The values of a metric's record; empty if it is of no set, or damaged. `own`: from the
/// location's numbers of metrics to the archive's, as LocalDefinitions has them.
std::vector<CounterValue> counter_values(
    RecordFields fields, const CounterTable& table,
    const std::unordered_map<std::uint64_t, std::uint64_t>& own);

}  // namespace huddle::otf2
