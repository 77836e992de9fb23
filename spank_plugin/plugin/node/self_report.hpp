#pragma once

#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle::plugin {

/// Tells a task that asks for it (`huddle doctor` does, by kWhichPlugin) which plugin this is,
/// in kSelfReportVariable; see profiles/vocabulary/environment.hpp. Other tasks get nothing. `argc`
/// and `argv` are those of the hook. Throws Error.
void report_to_doctor(spank_t spank, int argc, char** argv);

}  // namespace huddle::plugin
