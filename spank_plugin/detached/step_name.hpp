#pragma once

#include <cstdint>
#include <string>

namespace huddle {

/// As Slurm writes it without the job: "0", "batch", "interactive", "extern".
inline std::string bare_step_name(std::uint32_t step) {
  constexpr std::uint32_t kBatchScript = 0xfffffffb;  // SLURM_BATCH_SCRIPT
  constexpr std::uint32_t kInteractive = 0xfffffffa;  // SLURM_INTERACTIVE_STEP
  constexpr std::uint32_t kExtern = 0xfffffffc;       // SLURM_EXTERN_CONT
  if (step == kBatchScript) return "batch";
  if (step == kInteractive) return "interactive";
  if (step == kExtern) return "extern";
  return std::to_string(step);
}

/// "17.0", "17.batch".
inline std::string step_name(std::uint32_t job, std::uint32_t step) {
  return std::to_string(job) + "." + bare_step_name(step);
}

}  // namespace huddle
