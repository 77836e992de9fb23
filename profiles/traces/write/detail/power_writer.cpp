#include "profiles/traces/write/detail/power_writer.hpp"

#include <fmt/format.h>
#include <otf2/OTF2_EvtWriter.h>
#include <otf2/OTF2_GlobalDefWriter.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "profiles/traces/detail/power_metrics.hpp"
#include "profiles/traces/write/detail/part_tables.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {
namespace {

std::uint64_t reference_of(std::uint32_t rank) {
  return location_reference({{}, rank, kPowerThread, 0});
}

}  // namespace

PowerWriter::PowerWriter(Otf2Output& output, const TraceDefinitions& definitions,
                         std::span<const TracePower> power)
    : output_(output), power_(power) {
  for (const TracePower& one : power_) {
    if (one.rank >= definitions.ranks.size())
      throw Error(fmt::format("can't write a trace: power is of rank {}, and there are {}",
                              one.rank, definitions.ranks.size()));
    if (!std::is_sorted(one.samples.begin(), one.samples.end(),
                        [](const auto& a, const auto& b) { return a.time < b.time; }))
      throw Error(fmt::format("can't write a trace: times of {}'s power fall", one.sensor));
    events_[one.rank] += one.samples.size();
  }
}

void PowerWriter::write_events() {
  for (const auto& [rank, count] : events_) {
    // Times must not fall within a file.
    std::vector<std::tuple<std::uint64_t, std::uint32_t, double>> all;
    all.reserve(count);
    for (std::uint32_t i = 0; i < power_.size(); ++i)
      if (power_[i].rank == rank)
        for (const TracePower::Sample& sample : power_[i].samples)
          all.emplace_back(sample.time, i, sample.watts);
    std::sort(all.begin(), all.end());
    OTF2_EvtWriter* const writer = output_.open_events(reference_of(rank));
    for (const auto& [time, instance, watts] : all) {
      const OTF2_Type type = OTF2_TYPE_DOUBLE;
      OTF2_MetricValue value{};
      value.floating_point = watts;
      output_.check(OTF2_EvtWriter_Metric(writer, nullptr, time, instance, 1, &type, &value));
    }
    output_.close_events(writer);
    output_.write_no_local_definitions(reference_of(rank));
  }
}

void PowerWriter::write_definitions(
    OTF2_GlobalDefWriter* writer, const std::function<std::uint32_t(const std::string&)>& string,
    const std::function<std::uint32_t(const std::string&)>& node) const {
  for (const auto& [rank, events] : events_)
    output_.check(OTF2_GlobalDefWriter_WriteLocation(writer, reference_of(rank), string("Power"),
                                                     OTF2_LOCATION_TYPE_METRIC, events, rank));
  for (std::uint32_t i = 0; i < power_.size(); ++i) {
    const TracePower& one = power_[i];
    output_.check(OTF2_GlobalDefWriter_WriteMetricMember(
        writer, i, string(one.sensor), string(std::string(kPowerDescription)),
        OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_LAST, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0,
        string("W")));
    output_.check(OTF2_GlobalDefWriter_WriteMetricClass(writer, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS,
                                                        OTF2_RECORDER_KIND_ABSTRACT));
    output_.check(OTF2_GlobalDefWriter_WriteMetricInstance(
        writer, i, i, reference_of(one.rank), OTF2_SCOPE_SYSTEM_TREE_NODE, node(one.node)));
  }
}

void PowerWriter::move_files(const std::filesystem::path& from,
                             const std::filesystem::path& to) const {
  std::error_code error;
  for (const auto& [rank, events] : events_)
    for (const char* ending : {"evt", "def"}) {
      const std::string name = fmt::format("{}.{}", reference_of(rank), ending);
      std::filesystem::rename(from / "traces" / name, to / "traces" / name, error);
      if (error)
        throw SystemError("rename into place", (to / "traces" / name).string(), error.value());
    }
}

}  // namespace huddle::traces
