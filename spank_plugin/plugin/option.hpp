#pragma once

#include "spank_plugin/plugin/spank_api.hpp"

#include <optional>
#include <string>

#include "profiles/formats/policy.hpp"

namespace huddle {

/// `--energy-aggregate[=MODE]` as this process got it.
struct OptionValue {
  /// Whether the option was given at all.
  bool given = false;
  /// What was written behind "="; empty for the bare option.
  std::string text;

  /// The bare option means auto. Throws UsageError naming the allowed words.
  [[nodiscard]] Mode mode() const;
};

/// Makes the option known to Slurm in this context; to be called from slurm_spank_init. False if
/// Slurm refuses.
bool register_option(spank_t spank);

/// What Slurm has told so far; complete from slurm_spank_init_post_opt on.
const OptionValue& option_value();

}  // namespace huddle
