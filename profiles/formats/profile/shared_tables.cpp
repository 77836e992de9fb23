#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "profiles/formats/profile/detail/profile_members.hpp"
#include "profiles/formats/profile/detail/rank_record.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr auto kId = [](const auto& entry) { return entry.id; };
constexpr auto kEventAndReason = [](const AbsentEvent& absent) {
  return std::tie(absent.event, absent.reason);
};

/// Ranks as a list, below `ranks`.
template <class Set>
class RanksBelow {
 public:
  RanksBelow(Set& set, std::uint32_t ranks) : set_(set), ranks_(ranks) {}
  void read(const Field& field) const {
    if constexpr (!std::is_const_v<Set>) {
      const std::string text = field.text();
      try {
        set_ = RankSet::parse(text, ranks_);
      } catch (const Error&) {
        field.fail(
            fmt::format("an ascending list of ranks below {} such as 0-3,8,16-28:4", ranks_));
      }
    }
  }
  [[nodiscard]] nlohmann::ordered_json json() const { return set_.list(); }
  [[nodiscard]] bool is_set() const { return !set_.empty(); }
  [[nodiscard]] const Set& value() const { return set_; }

 private:
  Set& set_;
  std::uint32_t ranks_;
};

// An array, which is always written; nothing where it is missing. Its entries are in the order of
// their ids.
template <class Members, class Entries, class Describe>
void describe_entries(Members& members, std::string_view name, Entries& entries,
                      Describe&& describe) {
  if (!members.present(name, true)) return;
  members.array(name, entries, describe);
  if constexpr (Members::kReads && requires { entries.front().id; })
    if (const auto* const twice = sort_by(entries, kId))
      members.object().at(name).fail(fmt::format("id {} twice", twice->id), "each id only once");
}

template <class Members>
void describe_tables(Members& members, In<Members, SharedTables>& shared, std::uint32_t ranks) {
  describe_entries(members, "communicators", shared.communicators, [&](auto& inner, auto& entry) {
    inner.required("id", entry.id, at_least(1U));
    inner.required("members", RanksBelow(entry.members, ranks));
    inner.optional("others", RanksBelow(entry.others, ranks));
  });
  describe_entries(members, "phase_groups", shared.phase_groups, [](auto& inner, auto& group) {
    inner.required("id", group.id);
    inner.required("begin", group.begin);
    inner.required("end", group.end);
  });
  describe_entries(members, "modules", shared.modules, [](auto& inner, auto& module) {
    inner.required("name", module.name);
    inner.required("path", module.path);
    inner.required("build_id", module.build_id);
    inner.required("first_address", module.first_address);
  });
  describe_entries(members, "openmp_regions", shared.openmp_regions, [](auto& inner, auto& region) {
    inner.required("id", region.id);
    inner.required("place", region.place);
  });
  describe_entries(members, "absent_events", shared.absent_events, [&](auto& inner, auto& absent) {
    inner.required("event", absent.event);
    inner.required("reason", absent.reason);
    inner.required("ranks", absent.ranks, at_most(ranks));
  });
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
  MemberReader members(root);
  describe_tables(members, shared, ranks);
  std::sort(shared.modules.begin(), shared.modules.end());
  shared.modules.erase(std::unique(shared.modules.begin(), shared.modules.end()),
                       shared.modules.end());
  if (const AbsentEvent* const twice = sort_by(shared.absent_events, kEventAndReason))
    root.at("absent_events")
        .fail(fmt::format("event \"{}\" with one reason twice", twice->event),
              "each pair of event and reason only once");
  return shared;
}

void write_shared_tables(DocumentWriter& out, const SharedTables& shared) {
  StreamedMembers members(out);
  describe_tables(members, shared, kMostRanks);
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
