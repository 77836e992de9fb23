#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace huddle {

/// The root of every exception that Huddle throws on purpose. `what()` is one line (no newline at
/// its end) that a user can act on: what is wrong, where, what was found, what was expected, what
/// to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something that can't be: a wrong option, an impossible combination. The
/// command exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file's content is not what its format says.
class FormatError : public Error {
 public:
  /// `place` is a field ("rank_records[3].pus") or a position ("line 4, column 7"); `found` and
  /// `expected` are phrases that fit behind these words. Long findings are shortened.
  FormatError(std::string_view file, std::string_view place, std::string_view found,
              std::string_view expected);
};

/// The operating system refused: names the file, the action and the system's reason.
class SystemError : public Error {
 public:
  /// `error_number` is an errno value.
  SystemError(std::string_view action, std::string_view file, int error_number);
  [[nodiscard]] int error_number() const { return error_number_; }

 private:
  int error_number_;
};

/// `text` fit for one line of an error message: control characters replaced, at most `limit` bytes
/// and "..." behind.
std::string shortened(std::string_view text, std::size_t limit = 60);

}  // namespace huddle
