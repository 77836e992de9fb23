#include "profiles/vocabulary/preload_list.hpp"

#include <vector>

namespace huddle {
namespace {

constexpr std::string_view kSeparators = " :";

std::vector<std::string_view> entries_of(std::string_view list) {
  std::vector<std::string_view> entries;
  while (!list.empty()) {
    const std::size_t length = std::min(list.find_first_of(kSeparators), list.size());
    if (length > 0) entries.push_back(list.substr(0, length));
    list.remove_prefix(std::min(length + 1, list.size()));
  }
  return entries;
}

}  // namespace

std::string preload_with(std::string_view list, std::string_view library) {
  for (const std::string_view entry : entries_of(list))
    if (entry == library) return std::string(list);
  std::string result(library);
  if (!list.empty()) result.append(":").append(list);
  return result;
}

std::string preload_without(std::string_view list, std::string_view library) {
  std::string result;
  for (const std::string_view entry : entries_of(list)) {
    if (entry == library) continue;
    if (!result.empty()) result += ':';
    result += entry;
  }
  return result;
}

}  // namespace huddle
