#include "profiles/formats/document/metric_family.hpp"

#include <fmt/format.h>

#include "profiles/formats/document/document.hpp"

namespace huddle {
namespace {

std::string escaped_label(const std::string& value) {
  std::string text;
  for (const char c : utf8(value)) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

MetricFamily::MetricFamily(std::string_view name, std::string_view help, Kind kind)
    : name_(name),
      text_(fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help,
                        kind == Kind::kCounter ? "counter" : "gauge")) {}

void MetricFamily::add(double value,
                       const std::vector<std::pair<std::string_view, std::string>>& labels) {
  std::string list;
  for (const auto& [label, of] : labels)
    list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", label, escaped_label(of));
  text_ += list.empty() ? fmt::format("{} {}\n", name_, value)
                        : fmt::format("{}{{{}}} {}\n", name_, list, value);
}

}  // namespace huddle
