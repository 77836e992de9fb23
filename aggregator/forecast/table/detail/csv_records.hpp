#pragma once

// CSV as records and fields (RFC 4180, and what else programs write).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::forecast {

/// The first field of the rest of a record, as it stands there; takes it and the separator behind
/// it away from `rest`. `more` says whether there was a separator.
std::string_view take_field(std::string_view& rest, char separator, bool& more);

/// All fields of a record, as they stand there. A blank record has none.
std::vector<std::string_view> fields_of(std::string_view record, char separator);

/// A field without blanks around it and without its quotes. `buffer` keeps the text where it is not
/// in the field itself: where quotes are doubled.
std::string_view content_of(std::string_view field, std::string& buffer);

/// A file as records, without UTF-8's mark: lines, or several where a quoted field holds line ends.
/// Reads in blocks, so that memory doesn't grow with the file. Owned by one thread.
class RecordSource {
 public:
  /// Gives the next bytes, about `size` of them, and none at the end only. May throw.
  using Read = std::function<std::string(std::size_t size)>;

  /// `file` is what errors call it.
  RecordSource(Read read, std::string file);

  /// Fields end here; before it is set, quotes open behind anything that may separate.
  void set_separator(char separator) { separator_ = separator; }
  /// Goes to the next record; false at the end. Throws FormatError if one is too long to be true,
  /// or ends within quotes.
  bool next();
  /// Without its line end. Valid until next().
  [[nodiscard]] std::string_view record() const { return record_; }
  /// Number of the record's first line, from 1.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  /// True if the file ends right behind the record, without a line end.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  bool fill();
  std::size_t find_line_end(std::size_t from);

  Read read_;
  std::string file_;
  std::string buffer_;
  std::size_t next_ = 0;  // where the next record begins
  std::string_view record_;
  std::uint64_t line_ = 0;
  std::uint64_t lines_ = 0;  // up to the end of this record
  bool is_cut_ = false;
  char separator_ = 0;
};

}  // namespace huddle::forecast
