#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace huddle {

/// The options of the sbatch, salloc or srun that this process is, by their long names. Slurm keeps
/// them in a global of the program and gives access by functions that are not in its headers; they
/// are looked up at run time, and where one is missing there is no SlurmOptions. Not thread safe,
/// as Slurm's own.
class SlurmOptions {
 public:
  /// Nothing if this process is not one of the three, or if this Slurm hides its options.
  static std::optional<SlurmOptions> of_this_process();

  /// Whether the user set the option: on the command line, in the script, or by the environment.
  [[nodiscard]] bool is_set(const char* name) const;
  /// The value as text; empty if Slurm has none.
  [[nodiscard]] std::string get(const char* name) const;
  /// False if Slurm does not take the value; it may have changed something all the same.
  [[nodiscard]] bool set(const char* name, const char* value) const;

  /// Sets all, or none: what was set before one that fails is put back. Returns the name of the one
  /// that failed.
  [[nodiscard]] std::optional<std::string> set_all(
      const std::vector<std::pair<std::string, std::string>>& values) const;

 private:
  using GetFunction = char* (*)(void*, const char*);
  using IsSetFunction = bool (*)(void*, const char*);
  using SetFunction = int (*)(void*, const char*, const char*, bool);
  using ResetFunction = bool (*)(void*, const char*);
  using FreeFunction = void (*)(void**);

  void* options_ = nullptr;
  GetFunction get_ = nullptr;
  IsSetFunction is_set_ = nullptr;
  SetFunction set_ = nullptr;
  ResetFunction reset_ = nullptr;
  FreeFunction free_ = nullptr;
};

}  // namespace huddle
