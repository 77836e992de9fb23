#include "profiles/formats/profile/phase_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle {
namespace {

using In = DocumentReader;
using Need = DocumentReader::Need;

constexpr std::array<std::string_view, PhaseTable::kColumns> kColumns = {
    "group",     "count",      "mean_s",           "variance_s2", "shortest_s",
    "longest_s", "mpi_time_s", "delimiter_time_s", "counted",     "counted_time_s"};
enum Column : std::size_t {
  kGroup,
  kCount,
  kMean,
  kVariance,
  kShortest,
  kLongest,
  kMpiTime,
  kDelimiterTime,
  kCounted,
  kCountedTime
};

// By how much, relative to the longest pass, a mean that was summed up or printed with few digits
// may lie outside of what it is the mean of.
constexpr double kRounding = 1e-6;

void read_whole(In& in, PhaseTable& table, Column column, std::uint64_t PhaseRecord::*member) {
  table.columns.read(in, column,
                     [&](PhaseRecord& phase) { phase.*member = in.unsigned_integer(); });
}

void read_time(In& in, PhaseTable& table, Column column, Seconds PhaseRecord::*member) {
  table.columns.read(in, column,
                     [&](PhaseRecord& phase) { (phase.*member).value = in.non_negative(); });
}

void read_counts(In& in, PhaseTable& table) {
  table.has_counts = true;
  in.array([&](std::size_t) {
    std::vector<double>& column = table.counts.emplace_back();
    in.array([&](std::size_t) {
      column.push_back(in.null() ? std::numeric_limits<double>::quiet_NaN() : in.non_negative());
    });
  });
}

constexpr std::array<In::Member<PhaseTable>, PhaseTable::kColumns + 1> kMembers = {{
    {kColumns[kGroup], Need::kRequired,
     [](In& in, PhaseTable& into) { read_whole(in, into, kGroup, &PhaseRecord::group); }},
    {kColumns[kCount], Need::kRequired,
     [](In& in, PhaseTable& into) { read_whole(in, into, kCount, &PhaseRecord::count); }},
    {kColumns[kMean], Need::kRequired,
     [](In& in, PhaseTable& into) { read_time(in, into, kMean, &PhaseRecord::mean); }},
    {kColumns[kVariance], Need::kRequired,
     [](In& in, PhaseTable& into) {
       into.columns.read(in, kVariance,
                         [&](PhaseRecord& phase) { phase.variance_s2 = in.non_negative(); });
     }},
    {kColumns[kShortest], Need::kRequired,
     [](In& in, PhaseTable& into) { read_time(in, into, kShortest, &PhaseRecord::shortest); }},
    {kColumns[kLongest], Need::kRequired,
     [](In& in, PhaseTable& into) { read_time(in, into, kLongest, &PhaseRecord::longest); }},
    {kColumns[kMpiTime], Need::kRequired,
     [](In& in, PhaseTable& into) { read_time(in, into, kMpiTime, &PhaseRecord::mpi_time); }},
    {kColumns[kDelimiterTime], Need::kRequired,
     [](In& in, PhaseTable& into) {
       read_time(in, into, kDelimiterTime, &PhaseRecord::delimiter_time);
     }},
    {kColumns[kCounted], Need::kOptional,
     [](In& in, PhaseTable& into) { read_whole(in, into, kCounted, &PhaseRecord::counted); }},
    {kColumns[kCountedTime], Need::kOptional,
     [](In& in, PhaseTable& into) {
       read_time(in, into, kCountedTime, &PhaseRecord::counted_time);
     }},
    {"counts", Need::kOptional, read_counts},
}};

[[noreturn]] void fail_in_row(const In& in, Column column, std::size_t row, double found,
                              const std::string& expected) {
  in.fail(fmt::format("{}", found), expected, fmt::format(".{}[{}]", kColumns[column], row));
}

void check_row(const In& in, const PhaseRecord& phase, std::size_t row) {
  if (phase.shortest > phase.longest)
    fail_in_row(in, kShortest, row, phase.shortest.value,
                fmt::format("at most longest_s, {}", phase.longest.value));
  const Seconds slack = phase.longest * kRounding;
  if (phase.mean < phase.shortest - slack || phase.mean > phase.longest + slack)
    fail_in_row(in, kMean, row, phase.mean.value,
                fmt::format("a number from shortest_s to longest_s, {} to {}", phase.shortest.value,
                            phase.longest.value));
  if (phase.counted > phase.count)
    in.fail(fmt::format("{}", phase.counted), fmt::format("at most count, {}", phase.count),
            fmt::format(".{}[{}]", kColumns[kCounted], row));
}

void check_known(const In& in, const std::vector<PhaseRecord>& phases, const SharedTables& shared) {
  for (std::size_t row = 0; row < phases.size(); ++row) {
    const auto group = std::lower_bound(
        shared.phase_groups.begin(), shared.phase_groups.end(), phases[row].group,
        [](const PhaseGroup& candidate, std::uint64_t id) { return candidate.id < id; });
    if (group == shared.phase_groups.end() || group->id != phases[row].group)
      in.fail(fmt::format("{}", phases[row].group), "the id of one of the phase_groups",
              fmt::format(".{}[{}]", kColumns[kGroup], row));
  }
}

void check_counts(const In& in, std::size_t events, const PhaseTable& table) {
  const std::vector<PhaseRecord>& phases = table.columns.rows;
  const std::string place = table.place + ".counts";
  if (table.counts.size() != events)
    in.fail(fmt::format("an array of {}", table.counts.size()),
            fmt::format("an array of {}, as long as \"events\"", events), place);
  for (std::size_t event = 0; event < events; ++event) {
    const std::vector<double>& column = table.counts[event];
    if (column.size() != phases.size())
      in.fail(fmt::format("an array of {}", column.size()),
              fmt::format("an array of {}, as long as \"group\"", phases.size()),
              fmt::format("{}[{}]", place, event));
    for (std::size_t row = 0; row < phases.size(); ++row) {
      if (phases[row].counted == 0 && !std::isnan(column[row]))
        in.fail(fmt::format("{}", column[row]), "null, since counted is 0",
                fmt::format("{}[{}][{}]", place, event, row));
    }
  }
}

}  // namespace

void read_phase_table(DocumentReader& in, const SharedTables* shared, PhaseTable& table) {
  in.object(kMembers, table);
  table.columns.check_lengths(in, kColumns);
  const std::vector<PhaseRecord>& phases = table.columns.rows;
  for (std::size_t row = 0; row < phases.size(); ++row) check_row(in, phases[row], row);
  if (shared != nullptr) check_known(in, phases, *shared);
}

std::vector<PhaseRecord> take_phases(const DocumentReader& in, std::size_t events,
                                     PhaseTable& table) {
  std::vector<PhaseRecord>& phases = table.columns.rows;
  const bool counted = std::any_of(phases.begin(), phases.end(),
                                   [](const PhaseRecord& phase) { return phase.counted > 0; });
  if (counted && events > 0 && !table.has_counts)
    in.fail("nothing", "this field", table.place + ".counts");
  if (table.has_counts) check_counts(in, events, table);
  for (std::size_t row = 0; row < phases.size(); ++row) {
    if (!table.has_counts || phases[row].counted == 0) continue;
    phases[row].counts.reserve(events);
    for (const std::vector<double>& column : table.counts)
      phases[row].counts.push_back(column[row]);
  }
  const auto group = [](const PhaseRecord& phase) { return phase.group; };
  if (const PhaseRecord* const twice = table.columns.sort_by(group))
    in.fail(fmt::format("group {} twice", twice->group), "each group only once", table.place);
  phases.shrink_to_fit();
  return std::move(phases);
}

}  // namespace huddle
