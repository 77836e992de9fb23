#include "profiles/recorder/trace/call_paths.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profiles/traces/symbols/function_names.hpp"

namespace huddle::recorder {

std::uint32_t CallPathTable::number_of(const std::vector<std::uintptr_t>& addresses) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] =
      numbers_.emplace(addresses, static_cast<std::uint32_t>(paths_.size()));
  if (is_new) {
    std::vector<CallFrame>& frames = paths_.emplace_back();
    for (const std::uintptr_t address : addresses) frames.push_back(frame_of(address));
  }
  return place->second;
}

CallFrame CallPathTable::place_of(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  return frame_of(address);
}

// A return address follows its call, which may be its function's last instruction.
CallFrame CallPathTable::frame_of(std::uintptr_t address) {
  Dl_info info{};
  link_map* object = nullptr;
  const bool known = ::dladdr1(reinterpret_cast<const void*>(address - 1), &info,
                               reinterpret_cast<void**>(&object),  // NOLINT: C's interface
                               RTLD_DL_LINKMAP) != 0;
  if (!known || object == nullptr || object->l_name == nullptr) return {module_of("?"), address};
  const std::string name = *object->l_name == '\0' ? executable_ : object->l_name;
  return {module_of(name), address - object->l_addr};
}

std::uint32_t CallPathTable::module_of(const std::string& name) {
  const auto [place, is_new] =
      modules_by_name_.emplace(name, static_cast<std::uint32_t>(modules_.size()));
  if (is_new) modules_.push_back(name);
  return place->second;
}

void CallPathTable::describe(RecordedTrace& trace) const {
  const std::lock_guard lock(mutex_);
  trace.call_paths = paths_;
  trace.modules = modules_;
}

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
      // The call itself: its return address may be beyond the function's end.
      addresses.push_back(offset == 0 ? 0 : offset - 1);
    if (addresses.empty()) continue;
    auto found = traces::function_names(modules[module], addresses);
    std::size_t next = 0;
    for (auto& [offset, name] : all[module]) name = std::move(found[next++]);
  }
  return all;
}

}  // namespace

namespace {

std::string_view construct(std::uint8_t kind) {
  switch (kind) {
    case RecordedRegion::kImplicitBarrier:
      return "implicit barrier";
    case RecordedRegion::kBarrier:
      return "barrier";
    default:
      return "parallel";
  }
}

}  // namespace

// Outlined functions are step._omp_fn.0 of GCC's, step.omp_outlined of clang's, and .omp_outlined.
// of older ones.
std::vector<std::string> names_of_regions(const std::vector<RecordedRegion>& regions,
                                          const std::vector<std::string>& modules) {
  std::vector<std::vector<CallFrame>> places;
  for (const RecordedRegion& region : regions) places.push_back({region.frame});
  const std::vector<Names> names = names_by_module(places, modules);
  std::vector<std::string> all;
  for (const RecordedRegion& region : regions) {
    std::string function;
    if (region.frame.module < names.size())
      function = names[region.frame.module].at(region.frame.offset);
    function = function.substr(0, function.find("._omp_fn"));
    function = function.substr(0, function.find(".omp_outlined"));
    const bool known = !function.empty() && function.find("+0x") == std::string::npos;
    all.push_back(
        known ? fmt::format("!$omp {} @{} ({})", construct(region.kind), function, region.place)
              : fmt::format("!$omp {} @{}", construct(region.kind), region.place));
  }
  return all;
}

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
