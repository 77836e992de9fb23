#pragma once

#include <string_view>

namespace huddle::render {

/// A page's files, as they were when Huddle was built. The html has the marks @STYLE@, @DATA@ and
/// @SCRIPT@, in that order.
struct PageSource {
  std::string_view html;
  std::string_view style;
  std::string_view script;
};

extern const PageSource kEfficiencyPage;
extern const PageSource kReportPage;
extern const PageSource kStudyPage;
extern const PageSource kWaitPage;

}  // namespace huddle::render
