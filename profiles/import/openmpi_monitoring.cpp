#include "profiles/import/openmpi_monitoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "profiles/files/atomic_file.hpp"
#include "profiles/import/blank_profile.hpp"
#include "profiles/import/line_scanner.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::imports {
namespace {

constexpr std::uint64_t kMostMonitoringBytes = std::uint64_t{1} << 30U;
// Far more than any run sends, and still exact in a double.
constexpr std::uint64_t kMostInLine = std::uint64_t{1} << 53U;

// The content of a line of the kinds E, I, S and R.
struct PairLine {
  Rank other;
  std::uint64_t messages = 0;
  Bytes bytes;
};

bool is_pair_line(std::string_view kind) {
  return kind == "E" || kind == "I" || kind == "S" || kind == "R" || kind == "C";
}

bool is_about_collectives(std::string_view kind) {
  return kind == "D" || kind == "O2A" || kind == "A2O" || kind == "A2A";
}

PairLine read_pair_line(LineScanner& scanner, Rank rank, std::uint32_t ranks) {
  PairLine pair;
  scanner.next_field('\t');
  const std::string source = fmt::format("{}, the rank that the file's name says", rank.value);
  if (scanner.number(source) != rank.value) scanner.fail(source);
  scanner.next_field('\t');
  pair.other.value = static_cast<std::uint32_t>(
      scanner.number(fmt::format("a rank from 0 to {}", ranks - 1), ranks - 1));
  scanner.next_field('\t');
  pair.bytes.value = scanner.number_of(" bytes", "a number and \"bytes\"");
  if (pair.bytes.value > kMostInLine) scanner.fail("at most 2^53 bytes");
  scanner.next_field('\t');
  pair.messages = scanner.number_of(" msgs sent", "a number and \"msgs sent\"");
  if (pair.messages > kMostInLine) scanner.fail("at most 2^53 messages");
  if (pair.messages == 0 && pair.bytes.value > 0)
    scanner.fail(fmt::format("1 message or more, since there are {} bytes", pair.bytes.value));
  return pair;
}

void book(std::vector<SentMessages>& cells, const PairLine& pair) {
  if (pair.messages > 0)
    cells.push_back(messages_of_mean_size(pair.other, pair.messages, pair.bytes));
}

class RankReader {
 public:
  RankReader(std::string_view text, std::string_view file, Rank rank, std::uint32_t ranks)
      : scanner_(text, file), ranks_(ranks) {
    result_.record.rank = rank;
  }

  MonitoredRank read() {
    while (scanner_.next_line()) {
      if (scanner_.line().empty() || scanner_.line().front() == '#') continue;
      scanner_.next_field('\t');
      read_line(scanner_.field());
    }
    drop_requests_of_gets();
    for (auto* cells : {&result_.record.sent, &result_.record.put, &result_.record.fetched})
      std::sort(cells->begin(), cells->end(), [](const SentMessages& a, const SentMessages& b) {
        return a.receiver < b.receiver;
      });
    result_.internal_known = !collectives_ || result_.internal_messages > 0;
    return std::move(result_);
  }

 private:
  void read_line(std::string_view kind) {
    if (is_about_collectives(kind)) return;
    if (!is_pair_line(kind))
      scanner_.fail("a line of Open MPI's monitoring: #, E, I, S, R, C, D, O2A, A2O or A2A");
    const PairLine pair = read_pair_line(scanner_, result_.record.rank, ranks_);
    if (!seen_[kind.front()].insert(pair.other).second)
      scanner_.fail(fmt::format("one line {} for rank {}", kind, pair.other.value));
    if (kind == "E") book(result_.record.sent, pair);
    if (kind == "S") book(result_.record.put, pair);
    if (kind == "R") book(result_.record.fetched, pair);
    if (kind == "C" && pair.messages > 0) collectives_ = true;
    if (kind == "I") {
      result_.internal_messages += pair.messages;
      result_.internal_bytes += pair.bytes;
    }
  }

  // Each fetch is counted twice: as a message without bytes to the rank, and with its bytes from
  // it.
  void drop_requests_of_gets() {
    const auto& fetched = seen_['R'];
    std::erase_if(result_.record.put, [&](const SentMessages& cell) {
      return cell.bytes.value == 0 && fetched.contains(cell.receiver);
    });
  }

  LineScanner scanner_;
  std::uint32_t ranks_;
  MonitoredRank result_;
  bool collectives_ = false;
  std::map<char, std::set<Rank>> seen_;  // by kind of line
};

// The number before ".prof".
std::optional<std::uint32_t> rank_in(const std::string& name) {
  constexpr std::string_view kEnd = ".prof";
  if (!name.ends_with(kEnd)) return std::nullopt;
  const std::string_view front = std::string_view(name).substr(0, name.size() - kEnd.size());
  const std::string_view digits = front.substr(front.rfind('.') + 1);
  std::uint32_t rank = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (failure != std::errc{} || stop != digits.data() + digits.size() || digits == front)
    return std::nullopt;
  return rank;
}

// File i is that of rank i.
std::vector<std::filesystem::path> in_order_of_ranks(
    const std::vector<std::filesystem::path>& files) {
  std::vector<std::filesystem::path> ordered(files.size());
  for (const std::filesystem::path& file : files) {
    const auto rank = rank_in(file.filename().string());
    const std::string name = shortened(file.string(), 200);
    if (!rank)
      throw UsageError(
          fmt::format("{}: expected a name that ends in .RANK.prof, and those of all ranks", name));
    if (*rank >= files.size())
      throw UsageError(
          fmt::format("{} is of rank {}, but there are only {} files: name those of all ranks",
                      name, *rank, files.size()));
    if (!ordered[*rank].empty())
      throw UsageError(fmt::format("{} and {} are both of rank {}",
                                   shortened(ordered[*rank].string(), 200), name, *rank));
    ordered[*rank] = file;
  }
  return ordered;
}

void add_notes(Profile& profile, std::uint64_t internal_messages, Bytes internal_bytes,
               bool internal_known) {
  profile.notes.emplace_back(
      "Collectives are not known by operation, and neighbourhood communication counts among them.");
  profile.notes.emplace_back(kMeanSizeNote);
  if (internal_messages > 0)
    profile.notes.push_back(fmt::format(
        "Left out: {} messages of {} bytes that Open MPI sent itself, inside collectives and "
        "one-sided calls.",
        internal_messages, internal_bytes.value));
  if (!internal_known)
    profile.notes.emplace_back(
        "Messages that Open MPI sent itself, inside collectives, count as the program's own: "
        "monitor with pml_monitoring_enable 2 to tell them apart.");
}

}  // namespace

MonitoredRank parse_monitoring(std::string_view text, std::string_view file, Rank rank,
                               std::uint32_t ranks) {
  return RankReader(text, file, rank, ranks).read();
}

Profile import_monitoring(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) throw UsageError("no file of Open MPI's monitoring was named");
  const auto ordered = in_order_of_ranks(files);
  Profile profile = blank_profile(static_cast<std::uint32_t>(ordered.size()),
                                  "the output of Open MPI's monitoring");
  profile.mpi_library = "Open MPI, of unknown version";
  std::uint64_t internal_messages = 0;
  Bytes internal_bytes;
  bool told_apart = false;
  bool internal_known = true;
  for (RankRecord& record : profile.rank_records) {
    const std::filesystem::path& file = ordered[record.rank.value];
    MonitoredRank rank = parse_monitoring(files::read_file(file, kMostMonitoringBytes),
                                          file.string(), record.rank, profile.ranks);
    record = std::move(rank.record);
    internal_messages += rank.internal_messages;
    internal_bytes += rank.internal_bytes;
    told_apart = told_apart || rank.internal_messages > 0;
    internal_known = internal_known && rank.internal_known;
  }
  // A rank may be in collectives and send nothing for them; the level is that of the whole run.
  add_notes(profile, internal_messages, internal_bytes, told_apart || internal_known);
  return profile;
}

}  // namespace huddle::imports
