#include "profiles/recorder/trace/call_paths.hpp"

#include <dlfcn.h>
#include <link.h>

#include <utility>

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

// A return address is behind its call, which may be its function's last instruction.
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

void CallPathTable::tell(RecordedTrace& trace) const {
  const std::lock_guard lock(mutex_);
  trace.call_paths = paths_;
  trace.modules = modules_;
}

}  // namespace huddle::recorder
