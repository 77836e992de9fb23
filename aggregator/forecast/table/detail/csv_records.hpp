#pragma once

// CSV as records and fields (RFC 4180, and what else programs write).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// The first field of what is left of a record, as it stands there; takes it and the separator
/// behind it away from `rest`. A separator of ' ' is any run of blanks and tabs. `more` says
/// whether there was a separator.
std::string_view take_field(std::string_view& rest, char separator, bool& more);

/// All fields of a record, as they stand there. A blank record has none.
std::vector<std::string_view> fields_of(std::string_view record, char separator);

/// A field without blanks around it and without its quotes. `buffer` keeps the text where it is not
/// in the field itself: where quotes are doubled.
std::string_view content_of(std::string_view field, std::string& buffer);

/// Whether there is nothing but blanks.
bool is_blank_record(std::string_view record);

/// Whether it is no row: blank, or a line drawn of dashes or the like, as below headers.
bool is_empty_line(std::string_view record);

/// A file as records: lines, or several where a quoted field holds line ends. Reads in blocks, so
/// that memory doesn't grow with the file. Owned by one thread.
class RecordSource {
 public:
  /// Puts at most `size` bytes to `to` and says how many; 0 at the end. May throw.
  using Read = std::function<std::size_t(char* to, std::size_t size)>;

  /// `file` is what errors call it.
  RecordSource(Read read, std::string file);

  /// Fields end here; before it is set, quotes open behind anything that may separate.
  void set_separator(char separator) { separator_ = separator; }
  /// Fills the buffer as far as it goes and shows what of the file comes next, a MiB or to the
  /// end, without taking it.
  std::string_view ahead();
  /// Takes bytes of what ahead() showed.
  void skip(std::size_t bytes) { next_ += bytes; }

  /// Goes to the next record; false at the end. Throws FormatError if one is too long to be true,
  /// or ends within quotes.
  bool next();
  /// Goes back before the record that next() has just given.
  void restart_record();
  /// Without its line end. Valid until next() or ahead().
  [[nodiscard]] std::string_view record() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Of the record's first line, from 1.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  /// Whether the file ends right behind the record, without a line end.
  [[nodiscard]] bool is_cut() const { return !has_line_end_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  bool fill();
  std::size_t find_line_end(std::size_t from);

  Read read_;
  std::string file_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  // of the buffer
  std::size_t next_ = 0;    // where the next record begins
  std::size_t begin_ = 0;   // of this record
  std::size_t end_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t lines_ = 0;  // up to the end of this record
  bool at_end_ = false;
  bool has_line_end_ = true;
  char separator_ = 0;
};

}  // namespace huddle
