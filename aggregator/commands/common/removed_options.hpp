#pragma once

#include <string_view>

namespace huddle::cli {

/// The sentence that says what replaces `option`, such as "--width", which `command`, such as
/// "huddle show", had in an earlier version; empty if it never had such an option, or still has it.
std::string_view replacement_of(std::string_view command, std::string_view option);

}  // namespace huddle::cli
