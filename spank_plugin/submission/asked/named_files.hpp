#pragma once

// The files that a user names in the option: profile=FILE and plan=FILE.

#include <string>
#include <string_view>

#include "spank_plugin/submission/asked/aggregate_option.hpp"

namespace huddle::submission {

/// The absolute path; empty if `path` is. "~/" is not expanded by shells behind an "=", and a
/// relative path would mean another file on a node.
std::string absolute_path(const std::string& path, const std::string& home);

/// Looks at the files that the option names, unless it is off. Throws UsageError, with what to do,
/// if one is not there, can't be read, or is no document of its kind: of a profile, which may be
/// large, only the beginning is looked at. Says nothing of a file system that does not answer
/// within a second: that is no mistake of the user's. `source` is as in parse_aggregate_option().
void check_named_files(const AggregateOption& option, std::string_view source,
                       const std::string& home);

}  // namespace huddle::submission
