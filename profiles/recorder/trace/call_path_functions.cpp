#include "profiles/recorder/trace/call_path_functions.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "profiles/traces/symbols/function_names.hpp"

namespace huddle::recorder {
namespace {

using Names = std::map<std::uint64_t, std::string>;  // by offset

// Each module's file is looked into once.
std::vector<Names> names_by_module(const std::vector<std::vector<CallFrame>>& call_paths,
                                   const std::vector<std::string>& modules) {
  std::vector<Names> all(modules.size());
  for (const auto& path : call_paths)
    for (const CallFrame& frame : path)
      if (frame.module < all.size()) all[frame.module].emplace(frame.offset, std::string{});
  for (std::size_t module = 0; module < all.size(); ++module) {
    std::vector<std::uint64_t> addresses;
    for (const auto& [offset, name] : all[module])
      // The call itself: what it returns to may be behind the function's end.
      addresses.push_back(offset == 0 ? 0 : offset - 1);
    if (addresses.empty()) continue;
    auto found = function_names(modules[module], addresses);
    std::size_t next = 0;
    for (auto& [offset, name] : all[module]) name = std::move(found[next++]);
  }
  return all;
}

}  // namespace

CallPathFunctions functions_of(const std::vector<std::vector<CallFrame>>& call_paths,
                               const std::vector<std::string>& modules) {
  const std::vector<Names> names = names_by_module(call_paths, modules);
  CallPathFunctions all;
  std::unordered_map<std::string, std::uint32_t> known;
  for (const auto& path : call_paths) {
    std::vector<CallPathFunctions::Step>& steps = all.paths.emplace_back();
    for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
      if (frame->module >= names.size()) continue;
      const std::string& name = names[frame->module].at(frame->offset);
      if (steps.empty() && name == "_start") continue;
      const auto next = static_cast<std::uint32_t>(all.functions.size());
      const auto [where, is_new] = known.emplace(name, next);
      if (is_new) all.functions.push_back(name);
      steps.push_back({where->second, *frame});
    }
  }
  return all;
}

}  // namespace huddle::recorder
