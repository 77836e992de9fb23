#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

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
  /// What errors call it.
  std::string file;
};

/// Runs of one program whose ranks were on the same cores of as many nodes; ascending by size.
struct RunsOfLayout {
  std::vector<const Profile*> profiles;
  /// Of each, in that order.
  std::vector<double> sizes;

  [[nodiscard]] std::vector<double> different_sizes() const;
};

/// What an event comes to on a rank in the whole run; NaN if it was not counted.
double event_total(const RankRecord& record, const std::string& event);

/// By the build id, or where one is unknown, by the executable.
bool same_program(const Profile& a, const Profile& b);

/// Throws Error, naming the file, unless all runs are complete, have a run time, and are of one
/// program (same_program()) with one number of ranks.
void check_one_program(const std::vector<SizedRun>& runs);

/// By where the ranks were; the layout of the first run is first. Points into `runs`.
std::vector<RunsOfLayout> by_layout(const std::vector<SizedRun>& runs);

}  // namespace huddle
