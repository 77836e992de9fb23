#pragma once

#include <string>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/store/store.hpp"
#include "spank_plugin/plugin/job_request.hpp"

namespace huddle {

/// A submission's part of the records of its job: what was done with it and why, as the user was
/// told. Makes the store's folder for them if it can; without one there will be no record. Throws
/// SystemError if a variable can't be set.
void promise_record(const JobRequest& request, const Policy& policy, const Store& store,
                    Treatment treatment, const std::string& reason);

}  // namespace huddle
