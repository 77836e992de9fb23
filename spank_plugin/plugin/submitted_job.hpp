#pragma once

#include <cstdint>
#include <string>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/store/store.hpp"
#include "spank_plugin/submission/job_terms.hpp"
#include "spank_plugin/plugin/job_request.hpp"

namespace huddle {

/// Which of Slurm's programs submits.
enum class Submitter : std::uint8_t {
  kAllocator,   ///< sbatch or salloc: steps come later, on nodes that are known by then
  kDirectSrun,  ///< an srun that makes its own job: laid out before its nodes have names
};

/// A job that is about to be submitted, and all that decides about it.
struct SubmittedJob {
  Submitter by;
  JobRequest request;
  JobTerms terms;
  /// For this submitter.
  Policy policy;
  Store store;
  /// Whether the store's root may be made: in the user's home; a site's is the administrator's.
  bool make_store = false;
  /// The user's own profile and plan, absolute paths; empty if there is none.
  std::string profile;
  std::string plan;
};

}  // namespace huddle
