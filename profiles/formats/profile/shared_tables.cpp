#include "profiles/formats/profile/shared_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "profiles/formats/profile/profile_encoding.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using In = DocumentReader;
using Need = DocumentReader::Need;

constexpr auto kId = [](const auto& entry) { return entry.id; };
constexpr auto kEventAndReason = [](const AbsentEvent& absent) {
  return std::tie(absent.event, absent.reason);
};

// Puts a table in order; returns an entry whose key another has, too, or nullptr.
template <class Entry, class KeyOf>
const Entry* sort_by(std::vector<Entry>& table, KeyOf key_of) {
  std::sort(table.begin(), table.end(),
            [&](const Entry& a, const Entry& b) { return key_of(a) < key_of(b); });
  const auto twice =
      std::adjacent_find(table.begin(), table.end(),
                         [&](const Entry& a, const Entry& b) { return key_of(a) == key_of(b); });
  return twice == table.end() ? nullptr : &*twice;
}

std::uint64_t read_id(In& in) {
  const std::uint64_t id = in.unsigned_integer();
  if (id == 0) in.fail_value("1 or more");
  return id;
}

struct CommunicatorEntry {
  std::uint32_t ranks;
  Communicator communicator = {};
};

RankSet read_ranks(In& in, std::uint32_t ranks) {
  try {
    return RankSet::parse(in.text(), ranks);
  } catch (const FormatError&) {
    throw;
  } catch (const Error&) {
    in.fail_value(fmt::format("an ascending list of ranks below {} such as 0-3,8,16-28:4", ranks));
  }
}

constexpr std::array<In::Member<CommunicatorEntry>, 3> kCommunicatorMembers = {{
    {"id", Need::kRequired,
     [](In& in, CommunicatorEntry& into) { into.communicator.id = read_id(in); }},
    {"members", Need::kRequired,
     [](In& in, CommunicatorEntry& into) {
       into.communicator.members = read_ranks(in, into.ranks);
     }},
    {"others", Need::kOptional,
     [](In& in, CommunicatorEntry& into) {
       into.communicator.others = read_ranks(in, into.ranks);
     }},
}};

constexpr std::array<In::Member<PhaseGroup>, 3> kPhaseGroupMembers = {{
    {"id", Need::kRequired, [](In& in, PhaseGroup& into) { into.id = in.unsigned_integer(); }},
    {"begin", Need::kRequired, [](In& in, PhaseGroup& into) { into.begin = in.text(); }},
    {"end", Need::kRequired, [](In& in, PhaseGroup& into) { into.end = in.text(); }},
}};

struct AbsentEventEntry {
  std::uint32_t ranks;
  AbsentEvent absent = {};
};

constexpr std::array<In::Member<AbsentEventEntry>, 3> kAbsentEventMembers = {{
    {"event", Need::kRequired,
     [](In& in, AbsentEventEntry& into) { into.absent.event = in.text(); }},
    {"reason", Need::kRequired,
     [](In& in, AbsentEventEntry& into) { into.absent.reason = in.text(); }},
    {"ranks", Need::kRequired,
     [](In& in, AbsentEventEntry& into) { into.absent.ranks = in.unsigned_32(into.ranks); }},
}};

constexpr std::array<In::Member<SharedTables>, kSharedTables> kTables = {{
    {"communicators", Need::kRequired,
     [](In& in, SharedTables& into) { into.communicators = read_communicators(in, kMostRanks); }},
    {"phase_groups", Need::kRequired,
     [](In& in, SharedTables& into) { into.phase_groups = read_phase_groups(in); }},
    {"absent_events", Need::kRequired,
     [](In& in, SharedTables& into) { into.absent_events = read_absent_events(in, kMostRanks); }},
}};

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

std::vector<Communicator> read_communicators(DocumentReader& in, std::uint32_t ranks) {
  std::vector<Communicator> communicators;
  in.array([&](std::size_t) {
    CommunicatorEntry entry{ranks};
    in.object(kCommunicatorMembers, entry);
    communicators.push_back(std::move(entry.communicator));
  });
  if (const Communicator* const twice = sort_by(communicators, kId))
    in.fail(fmt::format("id {} twice", twice->id), "each id only once");
  return communicators;
}

std::vector<PhaseGroup> read_phase_groups(DocumentReader& in) {
  std::vector<PhaseGroup> groups;
  in.array([&](std::size_t) { in.object(kPhaseGroupMembers, groups.emplace_back()); });
  if (const PhaseGroup* const twice = sort_by(groups, kId))
    in.fail(fmt::format("id {} twice", twice->id), "each id only once");
  return groups;
}

std::vector<AbsentEvent> read_absent_events(DocumentReader& in, std::uint32_t ranks) {
  std::vector<AbsentEvent> absent;
  in.array([&](std::size_t) {
    AbsentEventEntry entry{ranks};
    in.object(kAbsentEventMembers, entry);
    absent.push_back(std::move(entry.absent));
  });
  if (const AbsentEvent* const twice = sort_by(absent, kEventAndReason))
    in.fail(fmt::format("event \"{}\" with one reason twice", twice->event),
            "each pair of event and reason only once");
  return absent;
}

SharedTables decode_shared_tables(std::string_view bytes) {
  DocumentReader in(bytes, "a rank's shared tables");
  SharedTables shared;
  in.document(kTables, shared);
  return shared;
}

void SharedTables::merge(const SharedTables& other) {
  const auto keep = [](const auto&, const auto&) {};
  merge_table(communicators, other.communicators, kId, keep);
  merge_table(phase_groups, other.phase_groups, kId, keep);
  merge_table(absent_events, other.absent_events, kEventAndReason,
              [](AbsentEvent& mine, const AbsentEvent& theirs) {
                mine.ranks = sum(mine.ranks, theirs.ranks);
              });
}

}  // namespace huddle
