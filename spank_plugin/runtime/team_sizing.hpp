#pragma once

// True if the teams of this process's program may have other sizes, as its user allows it.

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/store/team_sizes.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/runtime/packing/packing_trials.hpp"

namespace huddle::runtime {

/// The consent of kTeamSizesWord to this process's program, with a token that other steps and
/// other launches of the job do not have. Nothing is allowed where the user says how many threads
/// there are to be (OMP_DYNAMIC, OMP_THREAD_LIMIT). Throws std::bad_alloc.
store::SizesForProgram sizes_asked_for(const Environment& environment);

/// True if the function is the program's own, and not a library's: only these were consented to.
bool is_of_program(std::uintptr_t function) noexcept;

/// Notes in the user's folder that this run begins to try smaller teams; false if it must not.
bool begin_audit_of(const store::SizesForProgram& asked) noexcept;
/// Notes, of each program for which the environment allows it and of which this run tried smaller
/// teams, that all ranks came to the end of it, and of this process's program what it saw, `tried`;
/// `tick`: seconds in one. Throws Error, std::bad_alloc.
void end_audits_of_run(const Environment& environment, const std::vector<PackingTrials::Row>& tried,
                       double tick);

}  // namespace huddle::runtime
