#include "profiles/recorder/other_tools.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <set>
#include <string_view>

namespace huddle::recorder {

constinit std::array<std::atomic<void*>, kOperations> known_tool_functions{};
constinit char no_tool_function = 0;

void* find_tool_function(Operation operation) noexcept {
  static constexpr std::string_view kPrefix = "PMPI_";
  const std::string_view name = kOperationNames[static_cast<std::size_t>(operation)];
  std::array<char, 64> whole{};
  kPrefix.copy(whole.data(), kPrefix.size());
  name.copy(whole.data() + kPrefix.size(), whole.size() - kPrefix.size() - 1);
  void* const found = find_tool(whole.data());
  known_tool_functions[static_cast<std::size_t>(operation)].store(
      found != nullptr ? found : &no_tool_function, std::memory_order_relaxed);
  return found;
}

bool tools_follow() noexcept {
  bool any = false;
  for (std::uint32_t i = 0; i < kOperations; ++i)
    any = tool_function(static_cast<Operation>(i)) != nullptr || any;
  return any;
}

std::string names_of_tools() {
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < kOperations; ++i) {
    Dl_info info{};
    const void* const function = tool_function(static_cast<Operation>(i));
    if (function == nullptr || ::dladdr(function, &info) == 0 || info.dli_fname == nullptr)
      continue;
    const std::string_view path(info.dli_fname);
    names.emplace(path.substr(path.rfind('/') + 1));
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace huddle::recorder
