#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::forecast {

/// Where a program's arguments have its problem size: "2", the second argument; "-n" or "--grid",
/// what follows that word or stands behind it and "="; "nx=", the rest of the argument that begins
/// so.
class SizeArgument {
 public:
  /// Throws UsageError, which begins with the text, if that is empty, "0" or a "=" alone.
  explicit SizeArgument(std::string text);

  /// The size in these arguments (of the last one of that name), as parse_problem_size() reads it.
  /// Throws Error, which says what is there instead.
  [[nodiscard]] double in(const std::vector<std::string>& arguments) const;

 private:
  [[nodiscard]] std::optional<std::string_view> text_in(
      const std::vector<std::string>& arguments) const;

  std::string text_;
  std::size_t place_ = 0;  // from 1 on; 0: by name
};

/// The problem size of a run: the product of what `places` name on its command line, or without any
/// the size that was recorded. Throws Error, fit behind a file's name, if there is none.
double problem_size_of(const Profile& profile, const std::vector<SizeArgument>& places);

/// A measured run and the size of the problem that it solved.
struct SizedRun {
  Profile profile;
  double size = 0;
  /// Name for errors.
  std::string file;
};

/// Total of an event on a rank in the whole run; NaN if it was not counted.
double event_total(const RankRecord& record, const std::string& event);

/// Compares the build ids, or where one is unknown, by the executable.
bool same_program(const Profile& a, const Profile& b);

}  // namespace huddle::forecast
