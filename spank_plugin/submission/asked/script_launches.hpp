#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "profiles/vocabulary/text.hpp"

// Words by which a script starts ranks.

namespace huddle::submission {

inline constexpr std::array<std::string_view, 6> kMpirunNames = {
    "mpirun", "mpiexec", "orterun", "mpiexec.hydra", "prun", "prterun"};

/// The name of the program that a word of a command names, perhaps with its path.
constexpr std::string_view program_name(std::string_view word) {
  return word.substr(word.rfind('/') + 1);
}

/// An option among srun's words.
struct SrunOption {
  /// Without dashes: a letter, or a long name.
  std::string_view name;
  bool is_long = false;
  bool has_value = false;
  /// As far as it is in the same word.
  std::string_view value;

  /// `word` begins with "-" and has more than that.
  explicit SrunOption(std::string_view word);

  [[nodiscard]] bool is(std::string_view long_name, std::string_view letter) const {
    return name == (is_long ? long_name : letter);
  }
  [[nodiscard]] bool next_is_value() const;
};

/// Numbers that the steps of a script have.
struct LaunchSize {
  std::uint32_t ranks = 0;
  std::uint32_t cores_per_rank = 1;

  friend bool operator==(const LaunchSize&, const LaunchSize&) = default;
};

/// The size of a script's parallel steps, as its text gives it, for a job that does not say how
/// many ranks it has. Nothing if one of its steps gives no number, they differ, mpirun starts one
/// (which fills one node after the other), or the script reads Slurm's number of tasks: in a packed
/// job that is another.
std::optional<LaunchSize> size_of_launches(std::string_view script);

/// True if a script starts ranks by mpirun, and none by srun, as far as its text shows.
bool starts_by_mpirun_alone(std::string_view script);

/// Number of ranks of a script's largest step, where its text shows all of them: each command is an
/// srun or mpirun that gives its number, or a word of the shell or a tool that starts nothing.
/// Nothing otherwise, or if the script starts no step.
std::optional<std::uint32_t> most_ranks_of_steps(std::string_view script);

}  // namespace huddle::submission
