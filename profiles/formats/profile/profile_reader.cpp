#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiles/formats/document/document_reader.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/formats/profile/rank_record_reader.hpp"
#include "profiles/formats/profile/shared_tables.hpp"
#include "profiles/formats/profile/wait_summary_reader.hpp"

namespace huddle {
namespace {

using In = DocumentReader;
using Need = DocumentReader::Need;

// A record takes more bytes than this in any file.
constexpr std::uint64_t kLeastRecordBytes = 64;

std::vector<std::string> read_texts(In& in) {
  std::vector<std::string> texts;
  in.array([&](std::size_t) { texts.emplace_back(in.text()); });
  return texts;
}

void read_scaling(In& in, Profile& into) {
  if (in.text() != "weak") in.fail_value("\"weak\"");
  into.scales_weakly = true;
}

void read_problem_size(In& in, Profile& into) {
  into.problem_size = in.number();
  if (!(*into.problem_size > 0)) in.fail_value("a number above 0");
}

constexpr std::array<In::Member<Profile>, 4> kProgramMembers = {{
    {"executable", Need::kRequired, [](In& in, Profile& into) { into.executable = in.text(); }},
    {"build_id", Need::kRequired, [](In& in, Profile& into) { into.build_id = in.text(); }},
    {"arguments", Need::kRequired, [](In& in, Profile& into) { into.arguments = read_texts(in); }},
    {"scaling", Need::kOptional, read_scaling},
}};

constexpr std::array<In::Member<Profile>, 1> kMpiMembers = {{
    {"library", Need::kRequired, [](In& in, Profile& into) { into.mpi_library = in.text(); }},
}};

struct Job {
  std::optional<std::uint64_t> id;
  std::optional<std::uint32_t> step;
  std::string started_at;
};

constexpr std::array<In::Member<Job>, 3> kJobMembers = {{
    {"slurm_job_id", Need::kOptional, [](In& in, Job& into) { into.id = in.unsigned_integer(); }},
    {"slurm_step_id", Need::kOptional, [](In& in, Job& into) { into.step = in.unsigned_32(); }},
    {"started_at", Need::kRequired, [](In& in, Job& into) { into.started_at = in.text(); }},
}};

void read_job(In& in, Profile& into) {
  Job job;
  in.object(kJobMembers, job);
  into.started_at = std::move(job.started_at);
  if (!job.id) return;
  if (!job.step) in.fail_missing("slurm_step_id");
  into.slurm_job_id = *job.id;
  into.slurm_step_id = *job.step;
}

struct Counters {
  bool measured = false;
  std::optional<std::string> reason;
};

constexpr std::array<In::Member<Counters>, 2> kCounterMembers = {{
    {"measured", Need::kRequired, [](In& in, Counters& into) { into.measured = in.boolean(); }},
    {"reason", Need::kOptional, [](In& in, Counters& into) { into.reason = in.text(); }},
}};

void read_counters(In& in, Profile& into) {
  Counters counters;
  in.object(kCounterMembers, counters);
  if (counters.measured) return;
  if (!counters.reason) in.fail_missing("reason");
  into.counters_absent_reason = std::move(*counters.reason);
}

struct Whole {
  Profile profile;
  std::optional<std::string> cut_short_reason;
};

void read_format(In& in, Whole& /*into*/) {
  const std::string expected = fmt::format("huddle/{}", Profile::kFormat);
  if (in.text() != expected) in.fail_value(fmt::format("\"{}\"", expected));
}

void read_version(In& in, Whole& /*into*/) {
  if (in.unsigned_integer() != Profile::kVersion)
    in.fail_value(fmt::format("{}, the version that this huddle reads", Profile::kVersion));
}

void read_ranks(In& in, Whole& into) {
  into.profile.ranks = in.unsigned_32(kMostRanks);
  if (into.profile.ranks == 0) in.fail_value("1 or more");
}

void read_rank_records(In& in, Whole& whole) {
  Profile& into = whole.profile;
  const std::string all =
      fmt::format("an array of {}, one for each rank of a complete profile", into.ranks);
  const SharedTables* const shared = into.complete ? &into.shared : nullptr;
  std::vector<RankRecord>& records = into.rank_records;
  records.reserve(std::min<std::uint64_t>(into.ranks, in.bytes_left() / kLeastRecordBytes));
  const std::size_t count = in.array([&](std::size_t index) {
    if (into.complete && index == into.ranks) in.fail_too_many(index, all);
    records.push_back(read_rank_record(in, into.ranks, shared));
  });
  if (into.complete && count != into.ranks) in.fail(fmt::format("an array of {}", count), all);
  const auto before = [](const RankRecord& a, const RankRecord& b) { return a.rank < b.rank; };
  const auto same = [](const RankRecord& a, const RankRecord& b) { return a.rank == b.rank; };
  if (!std::is_sorted(records.begin(), records.end(), before))
    std::sort(records.begin(), records.end(), before);
  const auto twice = std::adjacent_find(records.begin(), records.end(), same);
  if (twice != records.end())
    in.fail(fmt::format("rank {} twice", twice->rank.value), "each rank only once");
}

// In this order: what a member needs to know stands before it.
constexpr std::array<In::Member<Whole>, 18> kMembers = {{
    {"format", Need::kRequired, read_format},
    {"version", Need::kRequired, read_version},
    {"label", Need::kRequired, [](In& in, Whole& into) { into.profile.label = in.text(); }},
    {"user", Need::kRequired, [](In& in, Whole& into) { into.profile.user = in.text(); }},
    {"ranks", Need::kRequired, read_ranks},
    {"complete", Need::kRequired,
     [](In& in, Whole& into) { into.profile.complete = in.boolean(); }},
    {"cut_short_reason", Need::kOptional,
     [](In& in, Whole& into) { into.cut_short_reason = in.text(); }},
    {"program", Need::kRequired,
     [](In& in, Whole& into) { in.object(kProgramMembers, into.profile); }},
    {"problem_size", Need::kOptional,
     [](In& in, Whole& into) { read_problem_size(in, into.profile); }},
    {"mpi", Need::kRequired, [](In& in, Whole& into) { in.object(kMpiMembers, into.profile); }},
    {"job", Need::kRequired, [](In& in, Whole& into) { read_job(in, into.profile); }},
    {"counters", Need::kRequired, [](In& in, Whole& into) { read_counters(in, into.profile); }},
    {"notes", Need::kOptional, [](In& in, Whole& into) { into.profile.notes = read_texts(in); }},
    {"communicators", Need::kOptional,
     [](In& in, Whole& into) {
       into.profile.shared.communicators = read_communicators(in, into.profile.ranks);
     }},
    {"phase_groups", Need::kOptional,
     [](In& in, Whole& into) { into.profile.shared.phase_groups = read_phase_groups(in); }},
    {"absent_events", Need::kOptional,
     [](In& in, Whole& into) {
       into.profile.shared.absent_events = read_absent_events(in, into.profile.ranks);
     }},
    {"rank_records", Need::kRequired, read_rank_records},
    {"wait_states", Need::kOptional,
     [](In& in, Whole& into) {
       into.profile.wait_states = read_wait_summary(in, into.profile.ranks);
     }},
}};

Profile read_profile(DocumentReader& in) {
  Whole whole;
  in.document(kMembers, whole);
  Profile& profile = whole.profile;
  if (!profile.complete) {
    if (!whole.cut_short_reason) in.fail_missing("cut_short_reason");
    profile.cut_short_reason = std::move(*whole.cut_short_reason);
  }
  return std::move(profile);
}

}  // namespace

Profile parse_profile(std::string_view bytes, std::string_view file) {
  DocumentReader in(bytes, file);
  return read_profile(in);
}

Profile load_profile(const std::filesystem::path& path) {
  DocumentReader in(path);
  return read_profile(in);
}

}  // namespace huddle
