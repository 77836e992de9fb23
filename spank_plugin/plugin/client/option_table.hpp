#pragma once

#include <getopt.h>

namespace huddle {

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

}  // namespace huddle
