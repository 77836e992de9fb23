#include "aggregator/render/webpage/web_page.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace huddle::render {
namespace {

// For a script element, whose end no string may spell.
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

std::string web_page(const PageSource& source, const nlohmann::ordered_json& data) {
  const std::string json = for_script(data);
  return filled(source.html,
                {{"@STYLE@", source.style}, {"@DATA@", json}, {"@SCRIPT@", source.script}});
}

}  // namespace huddle::render
