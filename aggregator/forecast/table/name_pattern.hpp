#pragma once

// Internal to the reader of measured rows.

#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// A pattern of files' names such as "run_{}.csv": "{}" is what it is about, '*' is any text
/// without '/', maybe none; all else is itself.
class NamePattern {
 public:
  /// Throws UsageError if "{}" isn't in it exactly once; `option` is what the pattern was given
  /// with.
  explicit NamePattern(std::string_view pattern, std::string_view option = "pattern");

  /// All texts that "{}" may be in the name of a file, in the order of where they begin and end:
  /// none of them is empty or holds '/'. Without a '/' the pattern is about the name's last part,
  /// else about as many parts at its end.
  [[nodiscard]] std::vector<std::string_view> readings(std::string_view file) const;

 private:
  std::string before_;
  std::string behind_;
};

}  // namespace huddle
