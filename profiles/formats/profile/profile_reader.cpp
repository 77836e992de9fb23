#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/detail/rank_record_reader.hpp"
#include "profiles/formats/profile/detail/shared_tables_reader.hpp"
#include "profiles/formats/profile/detail/table_columns.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {
namespace {

// A record takes more bytes than this in any file.
constexpr std::uint64_t kLeastRecordBytes = 64;

std::vector<std::string> read_texts(const Field& field) {
  std::vector<std::string> texts;
  field.for_each([&](const Field& text) { texts.push_back(text.text()); });
  return texts;
}

std::uint32_t read_ranks(const Field& root) {
  const std::uint32_t ranks = root.at("ranks").unsigned_32(kMostRanks);
  if (ranks == 0) root.at("ranks").fail("1 or more");
  return ranks;
}

void read_program(const Field& program, Profile& profile) {
  profile.executable = program.at("executable").text();
  profile.build_id = program.at("build_id").text();
  profile.arguments = read_texts(program.at("arguments"));
  if (program.has("launched")) {
    const Field launched = program.at("launched");
    profile.launched = {launched.at("path").text(), launched.at("build_id").text()};
  }
  if (program.has("script")) profile.script = program.at("script").text();
  if (!program.has("scaling")) return;
  if (program.at("scaling").text() != "weak") program.at("scaling").fail("\"weak\"");
  profile.scales_weakly = true;
}

void read_job(const Field& job, Profile& profile) {
  profile.started_at = job.at("started_at").text();
  if (!job.has("slurm_job_id")) return;
  profile.slurm_job_id = job.at("slurm_job_id").unsigned_integer();
  profile.slurm_step_id = job.at("slurm_step_id").unsigned_32();
}

// All but what is about single ranks.
void read_head(const Field& root, Profile& profile) {
  profile.label = root.at("label").text();
  profile.user = root.at("user").text();
  profile.ranks = read_ranks(root);
  profile.complete = root.at("complete").boolean();
  if (!profile.complete) profile.cut_short_reason = root.at("cut_short_reason").text();
  read_program(root.at("program"), profile);
  if (root.has("problem_size")) {
    const Field size = root.at("problem_size");
    profile.problem_size = size.number();
    if (!(*profile.problem_size > 0)) size.fail("a number above 0");
  }
  profile.mpi_library = root.at("mpi").at("library").text();
  read_job(root.at("job"), profile);
  if (const Field counters = root.at("counters"); !counters.at("measured").boolean())
    profile.counters_absent_reason = counters.at("reason").text();
  if (root.has("notes")) profile.notes = read_texts(root.at("notes"));
}

[[noreturn]] void fail_length(const Field& column, std::uint32_t ranks) {
  column.fail(fmt::format("an array of {}, one for each rank", ranks));
}

PatternWaitSummary read_pattern(const Field& field, std::uint32_t ranks) {
  PatternWaitSummary pattern{field.at("pattern").text(), {}};
  const Field waited = field.at("waited_s");
  if (waited.array_size() != ranks) fail_length(waited, ranks);
  waited.for_each([&](const Field& time) { pattern.waited.push_back({time.non_negative()}); });
  return pattern;
}

std::vector<RankWaitSummary> read_waiting_ranks(const Field& field, std::uint32_t ranks) {
  TableColumns<RankWaitSummary> columns(field, "run_time_s");
  columns.read("run_time_s", [](RankWaitSummary& rank, const Field& value) {
    rank.run_time.value = value.non_negative();
  });
  columns.read("computation_s", [](RankWaitSummary& rank, const Field& value) {
    rank.computation.value = value.non_negative();
  });
  columns.read("slack_s", [](RankWaitSummary& rank, const Field& value) {
    rank.slack.value = value.non_negative();
  });
  if (columns.rows().size() != ranks) fail_length(field.at("run_time_s"), ranks);
  return std::move(columns.rows());
}

WaitSummary read_wait_summary(const Field& field, std::uint32_t ranks) {
  WaitSummary summary;
  summary.origin = field.at("origin").text();
  if (summary.origin != "trace") field.at("origin").fail("\"trace\"");
  summary.run_time.value = field.at("run_time_s").non_negative();
  summary.stretched_run_time.value = field.at("stretched_run_time_s").non_negative();
  summary.ranks = read_waiting_ranks(field.at("ranks"), ranks);
  const Field patterns = field.at("patterns");
  patterns.for_each(
      [&](const Field& entry) { summary.patterns.push_back(read_pattern(entry, ranks)); });
  if (const auto* const twice = sort_by(
          summary.patterns, [](const auto& p) -> const auto& { return p.pattern; }))
    patterns.fail(fmt::format("pattern \"{}\" twice", twice->pattern), "each pattern only once");
  return summary;
}

// Reads the records of a profile as they come. The tables that they refer to stand behind them in
// files of ours, and others may even have `ranks` behind them: then they are read a second time.
class RecordsReader {
 public:
  using Open = std::function<Document(const StreamedArray& records)>;
  /// `open` reads the document, as often as it is called.
  explicit RecordsReader(Open open) : open_(std::move(open)) {}

  Profile read() {
    Document document = pass();
    Profile profile;
    read_head(document.root(), profile);
    profile.shared = read_shared_tables(document.root(), profile.ranks);
    if (!can_decode_ || (profile.complete && !all_known(profile.shared))) {
      shared_ = profile.complete ? &profile.shared : nullptr;
      ranks_ = profile.ranks;
      complete_ = profile.complete;
      head_known_ = true;
      document = pass();
    }
    const Field root = document.root();
    profile.rank_records = take_records(root.at("rank_records"));
    if (root.has("wait_states"))
      profile.wait_states = read_wait_summary(root.at("wait_states"), profile.ranks);
    return profile;
  }

 private:
  Document pass() {
    StreamedArray array{
        "rank_records",
        [&](const Field& before, std::uint64_t bytes_left) { return begin(before, bytes_left); },
        [&](const Field& element) {
          // More than there can be are only counted.
          if (!complete_ || records_.size() < ranks_)
            records_.push_back(read_rank_record(element, ranks_, shared_));
        }};
    return open_(array);
  }

  bool begin(const Field& before, std::uint64_t bytes_left) {
    if (!head_known_) {
      can_decode_ = before.has("ranks") && before.has("complete");
      if (!can_decode_) return false;
      ranks_ = read_ranks(before);
      complete_ = before.at("complete").boolean();
    }
    records_.clear();
    records_.reserve(std::min<std::uint64_t>(ranks_, bytes_left / kLeastRecordBytes));
    return true;
  }

  [[nodiscard]] bool all_known(const SharedTables& shared) const {
    return std::all_of(records_.begin(), records_.end(),
                       [&](const RankRecord& record) { return knows_all_of(shared, record); });
  }

  std::vector<RankRecord> take_records(const Field& field) {
    if (const std::size_t count = field.array_size(); complete_ && count != ranks_)
      field.fail(fmt::format("an array of {}, one for each rank of a complete profile", ranks_));
    if (const RankRecord* const twice =
            sort_by(records_, [](const RankRecord& record) { return record.rank; }))
      field.fail(fmt::format("rank {} twice", twice->rank.value), "each rank only once");
    return std::move(records_);
  }

  Open open_;
  std::vector<RankRecord> records_;
  bool head_known_ = false;  // all of the document was read before
  bool can_decode_ = true;   // in the first pass
  std::uint32_t ranks_ = 0;
  bool complete_ = false;
  const SharedTables* shared_ = nullptr;
};

}  // namespace

Profile parse_profile(std::string_view bytes, std::string_view file) {
  return RecordsReader([&](const StreamedArray& records) {
           return Document::parse(bytes, file, Profile::kFormat, Profile::kVersion, {}, &records);
         })
      .read();
}

Profile load_profile(const std::filesystem::path& path) {
  return RecordsReader([&](const StreamedArray& records) {
           return Document::load(path, Profile::kFormat, Profile::kVersion, {}, &records);
         })
      .read();
}

}  // namespace huddle
