#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// What slurmstepd tells the courier of its step, on the courier's standard input.
struct CourierOrder {
  /// Whose rights the courier takes before it touches any file.
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
  /// The folder that it makes for the ranks of this node, and removes when the step is over.
  std::string spool;
  /// The root of the store, in the user's words: an absolute path.
  std::string store;

  friend bool operator==(const CourierOrder&, const CourierOrder&) = default;
};

/// Lines, the last of which is "end". Throws Error if a path has a character that a line can't
/// hold, or is not absolute: what a user wrote must not become another line.
std::string text_of(const CourierOrder& order);

/// Reads that form. Throws Error.
CourierOrder parse_courier_order(std::string_view text);

}  // namespace huddle
