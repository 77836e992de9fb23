#pragma once

#include <getopt.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace huddle::plugin {

/// Words on the command line of sbatch, salloc or srun, as opposed to its environment.
struct CommandLine {
  /// Keys are their long names; the value of one that has none is empty. If one is there twice, the
  /// last counts.
  std::map<std::string, std::string> options;
  /// The script or program, and what follows it. A ":" of a heterogeneous job is left out.
  std::vector<std::string> program;
};

/// Reads the words (the command's own name first) by Slurm's own table of options. Nothing if this
/// Slurm does not show it. For one thread, and not while Slurm itself reads its options.
std::optional<CommandLine> read_command_line(std::vector<std::string> words);

/// Slurm's own table of the options of sbatch, salloc or srun, as getopt_long() takes it, for as
/// long as the object lives. For one thread.
class OptionTable {
 public:
  /// `options` is Slurm's structure of them (slurm_options()); null where there is none.
  explicit OptionTable(void* options);
  ~OptionTable();
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  /// Ends with an entry without a name. Null if this Slurm does not show its table.
  [[nodiscard]] const struct option* entries() const { return entries_; }
  /// The options of one letter.
  [[nodiscard]] const char* letters() const { return letters_; }

 private:
  using Destroy = void (*)(struct option*);
  using Free = void (*)(void**);

  Destroy destroy_;
  Free free_;
  struct option* entries_ = nullptr;
  char* letters_ = nullptr;
};

}  // namespace huddle::plugin
