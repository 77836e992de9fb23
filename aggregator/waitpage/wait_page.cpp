#include "aggregator/waitpage/wait_page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "aggregator/waitpage/page_data.hpp"
#include "aggregator/waitpage/page_rows.hpp"
#include "aggregator/waitpage/page_source.hpp"

namespace huddle {
namespace {

// For a script element, whose end no string may spell; bytes that are no UTF-8 become U+FFFD.
std::string for_script(const nlohmann::ordered_json& data) {
  const std::string json =
      data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

// Page with each mark @NAME@ replaced, from first to last; what is put in is not looked at again.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string text;
  for (const auto& [mark, part] : parts) {
    const std::size_t at = page.find(mark);
    text += page.substr(0, at);
    text += part;
    page.remove_prefix(at + mark.size());
  }
  return text.append(page);
}

}  // namespace

std::string wait_page(const WaitReport& report, const PageExtras& extras,
                      const PageOptions& options) {
  const std::size_t most_rows = std::min(
      options.most_cells / std::max<std::size_t>(report.call_paths.size(), 1), options.most_rows);
  const PageRows rows = rows_of(report, most_rows);
  const std::string data = for_script(page_data(report, extras, rows));
  return filled(kPageHtml, {{"@STYLE@", kPageCss}, {"@DATA@", data}, {"@SCRIPT@", kPageScript}});
}

}  // namespace huddle
