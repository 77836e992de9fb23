#include "profiles/import/matrix_csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/import/blank_profile.hpp"
#include "profiles/import/line_scanner.hpp"
#include "profiles/vocabulary/pluralize.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::imports {
namespace {

constexpr std::uint64_t kMostCsvBytes = std::uint64_t{8} << 30U;
constexpr std::uint64_t kMostSum = std::numeric_limits<std::uint64_t>::max() / 2;
// More do not fit: each number takes two bytes at least. A first line must not promise more.
constexpr std::size_t kMostRanks = std::size_t{1} << 16U;

bool is_number(std::string_view field) {
  if (field.size() > 2 && field.starts_with('"') && field.ends_with('"'))
    field = field.substr(1, field.size() - 2);
  double value = 0;
  const auto [end, failure] = std::from_chars(field.data(), field.data() + field.size(), value);
  return failure == std::errc{} && end == field.data() + field.size();
}

// Lines of a text that are not empty and no comments.
std::size_t lines_in(std::string_view text, std::string_view file) {
  std::size_t lines = 0;
  for (LineScanner scanner(text, file); scanner.next_line();)
    if (!trimmed(scanner.line()).empty() && !scanner.line().starts_with('#')) ++lines;
  return lines;
}

// One of the files, as rows. The first one says how many there are. Names of columns in a line
// before, and of rows in a column before, are passed over.
class Rows {
 public:
  Rows(const NamedText& file, std::string_view unit)
      : scanner_(file.text, file.file), expected_(fmt::format("a whole number of {}", unit)) {
    next_line();
    for (const char separator : {'\t', ';', ','})
      if (scanner_.line().find(separator) != std::string_view::npos) {
        separator_ = separator;
        break;
      }
    pass_names(lines_in(file.text, file.file));
    if (has_row_names_) next_cell();
    while (next_cell()) {
      if (row_.size() == kMostRanks)
        scanner_.fail(fmt::format("at most {} numbers in a line", kMostRanks));
      row_.push_back(next_value());
    }
    if (row_.empty()) scanner_.fail(expected_);
    size_ = row_.size();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t at(std::size_t column) const { return row_[column]; }

  void next_row() {
    next_line();
    row_.clear();
    if (has_row_names_) next_cell();
    while (row_.size() < size_) {
      if (!next_cell())
        scanner_.fail(
            fmt::format("number {} of {}: as many lines of as many numbers as the first "
                        "line has",
                        row_.size() + 1, size_));
      row_.push_back(next_value());
    }
    if (next_cell()) scanner_.fail(fmt::format("{} numbers, as in the first line", size_));
  }

  void finish() {
    while (next_line())
      if (next_cell() && !scanner_.field().empty())
        scanner_.fail(fmt::format("{} lines, as many as the first one has numbers", size_));
  }

  // For what is wrong with a number of the row that was read last.
  [[noreturn]] void fail_at(std::size_t column, std::string_view expected) {
    scanner_.restart_line();
    if (has_row_names_) next_cell();
    for (std::size_t i = 0; i <= column; ++i) next_cell();
    scanner_.fail(expected);
  }

 private:
  bool next_line() {
    while (scanner_.next_line())
      if (!scanner_.line().starts_with('#')) return true;
    return false;
  }

  // Runs of blanks are one separator.
  bool next_cell() {
    while (scanner_.next_field(separator_))
      if (separator_ != ' ' || !scanner_.field().empty()) return true;
    return false;
  }

  // Goes to the first row of numbers. The file has `lines` lines with something in them.
  void pass_names(std::size_t lines) {
    std::size_t cells = 0;
    bool is_named = false;
    bool counts_up = true;
    for (; next_cell(); ++cells) {
      const std::string_view cell = scanner_.field();
      if (cells == 0) is_named = !is_number(cell);
      counts_up = counts_up && (cell == std::to_string(cells) || cell == std::to_string(cells + 1));
    }
    has_row_names_ = is_named && (lines == cells || lines + 1 == cells);
    if ((is_named && lines == cells) || (lines == cells + 1 && (is_named || counts_up))) {
      next_line();
      std::size_t below = 0;
      while (next_cell()) ++below;
      has_row_names_ = has_row_names_ || below == cells + 1;
    }
    scanner_.restart_line();
  }

  std::uint64_t next_value() {
    const std::uint64_t value = scanner_.whole_number(expected_);
    if (value > kMostSum - sum_) scanner_.fail("numbers that sum to less than 2^63");
    sum_ += value;
    return value;
  }

  LineScanner scanner_;
  std::string expected_;
  char separator_ = ' ';
  bool has_row_names_ = false;
  std::vector<std::uint64_t> row_;
  std::size_t size_ = 0;
  std::uint64_t sum_ = 0;
};

std::vector<SentMessages> cells_of(const Rows& bytes, Rows* counts) {
  std::vector<SentMessages> cells;
  for (std::size_t column = 0; column < bytes.size(); ++column) {
    const Bytes sent{bytes.at(column)};
    const std::uint64_t messages =
        counts != nullptr ? counts->at(column) : std::uint64_t{sent.value > 0};
    if (messages == 0 && sent.value > 0)
      counts->fail_at(column, fmt::format("1 message or more, since these ranks have {}",
                                          pluralize(sent.value, "byte")));
    if (messages > 0)
      cells.push_back(
          messages_of_mean_size(Rank{static_cast<std::uint32_t>(column)}, messages, sent));
  }
  cells.shrink_to_fit();
  return cells;
}

}  // namespace

Profile parse_matrix_csv(const NamedText& bytes, const std::optional<NamedText>& counts) {
  Rows byte_rows(bytes, "bytes");
  std::optional<Rows> count_rows;
  if (counts) {
    count_rows.emplace(*counts, "messages");
    if (count_rows->size() != byte_rows.size())
      count_rows->fail_at(
          0, fmt::format("{} numbers in a line, as in {}", byte_rows.size(), bytes.file));
  }
  Profile profile = blank_profile(1, "a CSV matrix");
  profile.notes.emplace_back(
      "Collectives, one-sided and neighbourhood communication are not in such a matrix.");
  profile.notes.emplace_back(counts ? kMeanSizeNote : kOneMessageNote);
  profile.rank_records.clear();
  profile.ranks = static_cast<std::uint32_t>(byte_rows.size());
  for (std::uint32_t rank = 0; rank < profile.ranks; ++rank) {
    if (rank > 0) byte_rows.next_row();
    if (rank > 0 && count_rows) count_rows->next_row();
    // One by one: memory must not grow with what a first line promises.
    profile.rank_records.emplace_back().rank = Rank{rank};
    profile.rank_records.back().sent = cells_of(byte_rows, count_rows ? &*count_rows : nullptr);
  }
  byte_rows.finish();
  if (count_rows) count_rows->finish();
  return profile;
}

Profile import_matrix_csv(const std::filesystem::path& bytes, const std::filesystem::path& counts) {
  const std::string byte_text = files::read_file(bytes, kMostCsvBytes);
  const std::string byte_file = bytes.string();
  if (counts.empty()) return parse_matrix_csv({byte_text, byte_file});
  const std::string count_text = files::read_file(counts, kMostCsvBytes);
  const std::string count_file = counts.string();
  return parse_matrix_csv({byte_text, byte_file}, NamedText{count_text, count_file});
}

}  // namespace huddle::imports
