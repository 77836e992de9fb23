#include "profiles/formats/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "profiles/formats/document.hpp"
#include "profiles/formats/profile_encoding.hpp"
#include "profiles/store/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

// MPI ranks are C ints.
constexpr std::uint32_t kMostRanks = 1U << 31U;

std::uint8_t read_size_class(const Field& field) {
  return static_cast<std::uint8_t>(field.unsigned_integer(kSizeClasses - 1));
}

SentMessages read_cell(const Field& sent, std::size_t row, std::uint32_t ranks) {
  SentMessages cell;
  cell.receiver.value = sent.at("receiver").element(row).unsigned_32(ranks - 1);
  cell.size_class = read_size_class(sent.at("size_class").element(row));
  cell.messages = sent.at("messages").element(row).unsigned_integer();
  const Field bytes = sent.at("bytes").element(row);
  cell.bytes.value = bytes.unsigned_integer();
  if (cell.size_class == 0 && cell.bytes.value != 0) bytes.fail("0, since the size class is 0");
  return cell;
}

std::vector<SentMessages> read_sent(const Field& sent, std::uint32_t ranks) {
  const std::size_t rows = sent.at("receiver").array_size();
  for (const char* column : {"size_class", "messages", "bytes"})
    if (sent.at(column).array_size() != rows)
      sent.at(column).fail(fmt::format("an array of {}, as long as \"receiver\"", rows));
  std::vector<SentMessages> cells;
  cells.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) cells.push_back(read_cell(sent, row, ranks));
  const auto key = [](const SentMessages& cell) {
    return std::pair(cell.receiver, cell.size_class);
  };
  std::sort(cells.begin(), cells.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto twice = std::adjacent_find(
      cells.begin(), cells.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); });
  if (twice != cells.end())
    sent.fail(fmt::format("receiver {} with size class {} only once", twice->receiver.value,
                          twice->size_class));
  return cells;
}

CollectiveCalls read_collective(const Field& field, std::uint32_t ranks) {
  CollectiveCalls calls;
  calls.operation = field.at("operation").text();
  calls.communicator = field.at("communicator").text();
  calls.participants = field.at("participants").unsigned_32(ranks);
  calls.size_class = read_size_class(field.at("size_class"));
  calls.calls = field.at("calls").unsigned_integer();
  calls.bytes.value = field.at("bytes").unsigned_integer();
  calls.time.value = field.at("time_s").non_negative();
  return calls;
}

PuSet read_pus(const Field& field) {
  try {
    return PuSet::parse(field.text());
  } catch (const FormatError&) {
    throw;
  } catch (const Error&) {
    field.fail("a list of PUs such as 0-3,8");
  }
}

RankRecord read_rank_record(const Field& field, std::uint32_t ranks) {
  RankRecord record;
  record.rank.value = field.at("rank").unsigned_32(ranks - 1);
  record.node = field.at("node").text();
  record.pus = read_pus(field.at("pus"));
  record.run_time.value = field.at("run_time_s").non_negative();
  record.mpi_time.value = field.at("mpi_time_s").non_negative();
  if (record.mpi_time > record.run_time)
    field.at("mpi_time_s").fail(fmt::format("at most run_time_s, {}", record.run_time.value));
  if (field.has("cpu_time_s")) record.cpu_time = Seconds{field.at("cpu_time_s").non_negative()};
  if (field.has("peak_resident_bytes"))
    record.peak_resident.value = field.at("peak_resident_bytes").unsigned_integer();
  record.sent = read_sent(field.at("sent"), ranks);
  field.at("collectives").for_each([&](const Field& entry) {
    record.collectives.push_back(read_collective(entry, ranks));
  });
  return record;
}

void read_identity(const Field& root, Profile& profile) {
  profile.label = root.at("label").text();
  profile.user = root.at("user").text();
  const Field ranks = root.at("ranks");
  profile.ranks = ranks.unsigned_32(kMostRanks);
  if (profile.ranks == 0) ranks.fail("1 or more");
  profile.complete = root.at("complete").boolean();
  if (!profile.complete) profile.cut_short_reason = root.at("cut_short_reason").text();
  const Field program = root.at("program");
  profile.executable = program.at("executable").text();
  profile.build_id = program.at("build_id").text();
  program.at("arguments").for_each([&](const Field& argument) {
    profile.arguments.push_back(argument.text());
  });
  profile.mpi_library = root.at("mpi").at("library").text();
  const Field job = root.at("job");
  if (job.has("slurm_job_id")) {
    profile.slurm_job_id = job.at("slurm_job_id").unsigned_integer();
    profile.slurm_step_id = job.at("slurm_step_id").unsigned_32();
  }
  profile.started_at = job.at("started_at").text();
  const Field counters = root.at("counters");
  if (!counters.at("measured").boolean())
    profile.counters_absent_reason = counters.at("reason").text();
}

void read_rank_records(const Field& records, Profile& profile) {
  if (profile.complete && records.array_size() != profile.ranks)
    records.fail(
        fmt::format("an array of {}, one for each rank of a complete profile", profile.ranks));
  records.for_each([&](const Field& entry) {
    profile.rank_records.push_back(read_rank_record(entry, profile.ranks));
  });
  const auto by_rank = [](const RankRecord& a, const RankRecord& b) { return a.rank < b.rank; };
  std::sort(profile.rank_records.begin(), profile.rank_records.end(), by_rank);
  const auto twice =
      std::adjacent_find(profile.rank_records.begin(), profile.rank_records.end(),
                         [](const auto& a, const auto& b) { return a.rank == b.rank; });
  if (twice != profile.rank_records.end())
    records.fail(fmt::format("rank {} only once", twice->rank.value));
}

Profile read_profile(const Document& document) {
  Profile profile;
  read_identity(document.root(), profile);
  read_rank_records(document.root().at("rank_records"), profile);
  return profile;
}

}  // namespace

Seconds Profile::run_time() const {
  Seconds longest;
  for (const RankRecord& record : rank_records) longest = std::max(longest, record.run_time);
  return longest;
}

Seconds Profile::mean_computation_time() const {
  Seconds sum;
  for (const RankRecord& record : rank_records) sum += record.computation_time();
  return rank_records.empty() ? sum : sum * (1.0 / static_cast<double>(rank_records.size()));
}

std::vector<std::string> Profile::nodes() const {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const RankRecord& record : rank_records)
    if (seen.insert(record.node).second) names.push_back(record.node);
  return names;
}

std::uint32_t Profile::ranks_per_node() const {
  std::map<std::string_view, std::uint32_t> count;
  std::uint32_t most = 0;
  for (const RankRecord& record : rank_records) most = std::max(most, ++count[record.node]);
  return most;
}

Profile parse_profile(std::string_view bytes, std::string_view file) {
  return read_profile(Document::parse(bytes, file, Profile::kFormat, Profile::kVersion));
}

Profile load_profile(const std::filesystem::path& path) {
  return read_profile(Document::load(path, Profile::kFormat, Profile::kVersion));
}

void save_profile(const Profile& profile, const std::filesystem::path& path) {
  const Encoding encoding = path.extension() == ".cbor" ? Encoding::kCbor : Encoding::kJson;
  AtomicFile file(path);
  file.write(encode_profile_head(profile, encoding));
  for (std::size_t i = 0; i < profile.rank_records.size(); ++i) {
    if (i > 0) file.write(rank_record_separator(encoding));
    file.write(encode_rank_record(profile.rank_records[i], encoding));
  }
  file.write(encode_profile_tail(encoding));
  file.commit();
}

}  // namespace huddle
