#pragma once

#include <filesystem>
#include <string>

#include "profiles/formats/outcome/outcome.hpp"

namespace huddle::records {

/// The path of the profile that the step of this record left in the record's `folder`, by its name:
/// the recorder names a profile after the job, the step and the moment. Empty if there is none, or
/// the record has no `run`.
std::string profile_of_step(const std::filesystem::path& folder, const Outcome& record);

/// Reads a record of the store. That of a measured step which ended before its profile was in the
/// store has it all the same, if it is there now; if there is none, `messages` have what its
/// recorder could not print. Throws as load_outcome(), and if what was left can't be read.
Outcome load_record(const std::filesystem::path& file);

}  // namespace huddle::records
