#include "profiles/formats/profile/profile.hpp"

#include "profiles/formats/profile/profile_encoding.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace huddle {
namespace {

std::string text_of(const Profile& profile, Encoding encoding) {
  std::string text = encode_profile_head(profile, encoding);
  for (std::size_t i = 0; i < profile.rank_records.size(); ++i) {
    if (i > 0) text += rank_record_separator(encoding);
    text += encode_rank_record(profile.rank_records[i], encoding);
  }
  return text.append(encode_profile_tail(profile.shared, encoding));
}

bool knows_group(const SharedTables& shared, std::uint64_t id) {
  for (const PhaseGroup& group : shared.phase_groups)
    if (group.id == id) return true;
  return false;
}

void check_messages(const std::vector<SentMessages>& messages, std::uint32_t ranks) {
  for (const SentMessages& cell : messages)
    demand(cell.receiver.value < ranks && cell.size_class <= 64);
}

void check_phases(const RankRecord& record, const std::vector<PhaseRecord>& phases,
                  const Profile& profile) {
  for (const PhaseRecord& phase : phases) {
    demand(phase.variance_s2 >= 0 && phase.shortest <= phase.longest);
    demand(phase.counts.size() == (phase.counted > 0 ? record.events.size() : 0));
    demand(!profile.complete || knows_group(profile.shared, phase.group));
  }
}

void check_regions(const RankRecord& record) {
  for (const OpenMpRegionRecord& region : record.openmp_regions) {
    demand(region.counted_passes <= region.passes - region.untimed_passes);
    demand(region.counted_passes <= region.counted_for && region.counted_time.value >= 0);
    demand(region.counts.size() == (region.counted_passes > 0 ? record.events.size() : 0));
  }
}

void check_record(const RankRecord& record, const Profile& profile) {
  demand(record.rank.value < profile.ranks);
  for (const auto* messages :
       {&record.sent, &record.sent_to_neighbours, &record.put, &record.fetched})
    check_messages(*messages, profile.ranks);
  for (const CallKind& kind : record.calls) demand(kind.timed <= kind.calls);
  demand(record.event_totals.empty() || record.event_totals.size() == record.events.size());
  check_phases(record, record.phases, profile);
  check_regions(record);
}

void check(const Profile& profile) {
  demand(!profile.complete || profile.rank_records.size() == profile.ranks);
  for (const RankRecord& record : profile.rank_records) check_record(record, profile);
  for (const Communicator& communicator : profile.shared.communicators)
    for (const RankSet* set : {&communicator.members, &communicator.others})
      demand(set->empty() || set->runs().back().last < profile.ranks);
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const std::string text = text_of(profile, encoding);
    demand(text_of(parse_profile(text, "again"), encoding) == text);
  }
  const std::string shared = encode_shared_tables(profile.shared);
  demand(encode_shared_tables(decode_shared_tables(shared)) == shared);
}

}  // namespace
}  // namespace huddle

/// Any bytes are a profile that keeps its promises and survives both encodings, or an Error; and
/// shared tables, which merge with themselves, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  if (const auto profile = parsed([&] { return parse_profile(as_text(data, size), "fuzz"); }))
    check(*profile);
  if (auto shared = parsed([&] { return decode_shared_tables(as_text(data, size)); })) {
    const SharedTables before = *shared;
    shared->merge(before);
    demand(shared->communicators == before.communicators);
    demand(shared->phase_groups == before.phase_groups);
    demand(shared->openmp_regions == before.openmp_regions);
    demand(shared->absent_events.size() == before.absent_events.size());
  }
  return 0;
}
