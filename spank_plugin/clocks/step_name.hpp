#pragma once

#include <string>

#include "spank_plugin/frequency/journal.hpp"

namespace huddle {

/// As Slurm writes it: "17.0", "17.batch", "17.interactive".
inline std::string step_name(const Claim& claim) {
  constexpr std::uint32_t kBatchScript = 0xfffffffb;  // SLURM_BATCH_SCRIPT
  constexpr std::uint32_t kInteractive = 0xfffffffa;  // SLURM_INTERACTIVE_STEP
  const std::string job = std::to_string(claim.job) + ".";
  if (claim.step == kBatchScript) return job + "batch";
  if (claim.step == kInteractive) return job + "interactive";
  return job + std::to_string(claim.step);
}

}  // namespace huddle
