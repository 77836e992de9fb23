#pragma once

#include <string_view>

namespace huddle {

/// The files of page/, as they were when Huddle was built.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageScript;

}  // namespace huddle
