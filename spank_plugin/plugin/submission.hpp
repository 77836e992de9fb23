#pragma once

#include "spank_plugin/plugin/option.hpp"
#include "spank_plugin/plugin/settings.hpp"

namespace huddle {

/// sbatch, salloc, or an srun that makes its own job: the moment at which nodes are asked for.
/// Decides with the help of `huddle plan`, changes Slurm's options and the job's environment, and
/// tells the user in one line. Throws Error before anything was changed, or after everything was
/// put back.
class Submission {
 public:
  enum class By : std::uint8_t {
    kAllocator,   ///< sbatch or salloc: steps come later, on nodes that are known by then
    kDirectSrun,  ///< its step is laid out before its nodes have names
  };

  Submission(const Settings& settings, const OptionValue& option, By by);

  void decide() const;

 private:
  Settings settings_;
  OptionValue option_;
  By by_;
};

}  // namespace huddle
