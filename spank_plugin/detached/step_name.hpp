#pragma once

#include <cstdint>
#include <string>

namespace huddle {

/// As Slurm writes it: "17.0", "17.batch", "17.interactive".
inline std::string step_name(std::uint32_t job, std::uint32_t step) {
  constexpr std::uint32_t kBatchScript = 0xfffffffb;  // SLURM_BATCH_SCRIPT
  constexpr std::uint32_t kInteractive = 0xfffffffa;  // SLURM_INTERACTIVE_STEP
  const std::string name = std::to_string(job) + ".";
  if (step == kBatchScript) return name + "batch";
  if (step == kInteractive) return name + "interactive";
  return name + std::to_string(step);
}

}  // namespace huddle
