#include "profiles/formats/profile/detail/shared_tables_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "profiles/formats/profile/detail/openmp_region_fields.hpp"
#include "profiles/formats/profile/detail/table_columns.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr auto kId = [](const auto& entry) { return entry.id; };
constexpr auto kEventAndReason = [](const AbsentEvent& absent) {
  return std::tie(absent.event, absent.reason);
};

RankSet read_ranks(const Field& field, std::uint32_t ranks) {
  const std::string text = field.text();
  try {
    return RankSet::parse(text, ranks);
  } catch (const Error&) {
    field.fail(fmt::format("an ascending list of ranks below {} such as 0-3,8,16-28:4", ranks));
  }
}

Communicator read_communicator(const Field& field, std::uint32_t ranks) {
  Communicator communicator;
  communicator.id = field.at("id").unsigned_integer();
  if (communicator.id == 0) field.at("id").fail("1 or more");
  communicator.members = read_ranks(field.at("members"), ranks);
  if (field.has("others")) communicator.others = read_ranks(field.at("others"), ranks);
  return communicator;
}

// The array `name`, if it is there.
template <class Entry, class Read>
std::vector<Entry> read_table(const Field& root, std::string_view name, Read read) {
  std::vector<Entry> table;
  if (root.has(name))
    root.at(name).for_each([&](const Field& entry) { table.push_back(read(entry)); });
  return table;
}

template <class Entry>
void put_in_order_of_id(const Field& root, std::string_view name, std::vector<Entry>& table) {
  if (const Entry* const twice = sort_by(table, kId))
    root.at(name).fail(fmt::format("id {} twice", twice->id), "each id only once");
}

// Adds those of `from` whose key `into` does not have, and calls `both` for the others.
template <class Entry, class KeyOf, class Both>
void merge_table(std::vector<Entry>& into, const std::vector<Entry>& from, KeyOf key_of,
                 Both both) {
  for (const Entry& entry : from) {
    const auto place =
        std::lower_bound(into.begin(), into.end(), entry,
                         [&](const Entry& a, const Entry& b) { return key_of(a) < key_of(b); });
    if (place == into.end() || key_of(entry) < key_of(*place))
      into.insert(place, entry);
    else
      both(*place, entry);
  }
}

std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
  return a > std::numeric_limits<std::uint32_t>::max() - b
             ? std::numeric_limits<std::uint32_t>::max()
             : a + b;
}

}  // namespace

SharedTables read_shared_tables(const Field& root, std::uint32_t ranks) {
  SharedTables shared;
  shared.communicators = read_table<Communicator>(
      root, "communicators", [&](const Field& entry) { return read_communicator(entry, ranks); });
  put_in_order_of_id(root, "communicators", shared.communicators);
  shared.phase_groups = read_table<PhaseGroup>(root, "phase_groups", [](const Field& entry) {
    return PhaseGroup{entry.at("id").unsigned_integer(), entry.at("begin").text(),
                      entry.at("end").text()};
  });
  put_in_order_of_id(root, "phase_groups", shared.phase_groups);
  shared.modules = read_table<ProgramModule>(root, "modules", [](const Field& entry) {
    return ProgramModule{entry.at("name").text(), entry.at("path").text(),
                         entry.at("build_id").text(), entry.at("first_address").unsigned_integer()};
  });
  std::sort(shared.modules.begin(), shared.modules.end());
  shared.modules.erase(std::unique(shared.modules.begin(), shared.modules.end()),
                       shared.modules.end());
  shared.openmp_regions = read_table<OpenMpRegion>(root, "openmp_regions", read_region);
  put_in_order_of_id(root, "openmp_regions", shared.openmp_regions);
  shared.absent_events = read_table<AbsentEvent>(root, "absent_events", [&](const Field& entry) {
    return AbsentEvent{entry.at("event").text(), entry.at("reason").text(),
                       entry.at("ranks").unsigned_32(ranks)};
  });
  if (const AbsentEvent* const twice = sort_by(shared.absent_events, kEventAndReason))
    root.at("absent_events")
        .fail(fmt::format("event \"{}\" with one reason twice", twice->event),
              "each pair of event and reason only once");
  return shared;
}

SharedTables decode_shared_tables(std::string_view bytes) {
  const Document document = Document::parse_value(bytes, "a rank's shared tables");
  for (const char* table : {"communicators", "phase_groups", "absent_events"})
    static_cast<void>(document.root().at(table).array_size());
  return read_shared_tables(document.root(), kMostRanks);
}

void SharedTables::merge(const SharedTables& other) {
  const auto keep = [](const auto&, const auto&) {};
  merge_table(communicators, other.communicators, kId, keep);
  merge_table(phase_groups, other.phase_groups, kId, keep);
  merge_table(openmp_regions, other.openmp_regions, kId, keep);
  merge_table(
      modules, other.modules, [](const ProgramModule& module) { return module; }, keep);
  merge_table(absent_events, other.absent_events, kEventAndReason,
              [](AbsentEvent& mine, const AbsentEvent& theirs) {
                mine.ranks = sum(mine.ranks, theirs.ranks);
              });
}

}  // namespace huddle
