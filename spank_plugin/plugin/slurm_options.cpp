#include "spank_plugin/plugin/slurm_options.hpp"

#include <dlfcn.h>

namespace huddle {
namespace {

template <class Function>
bool look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

}  // namespace

std::optional<SlurmOptions> SlurmOptions::of_this_process() {
  SlurmOptions options;
  options.options_ = ::dlsym(RTLD_DEFAULT, "opt");
  if (options.options_ == nullptr || !look_up(options.get_, "slurm_option_get") ||
      !look_up(options.is_set_, "slurm_option_isset") ||
      !look_up(options.set_, "slurm_option_set") ||
      !look_up(options.reset_, "slurm_option_reset") || !look_up(options.free_, "slurm_xfree"))
    return std::nullopt;
  return options;
}

bool SlurmOptions::is_set(const char* name) const {
  return is_set_(options_, name);
}

std::string SlurmOptions::get(const char* name) const {
  char* value = get_(options_, name);
  if (value == nullptr) return {};
  std::string text(value);
  void* memory = value;
  free_(&memory);
  return text;
}

bool SlurmOptions::set(const char* name, const char* value) const {
  constexpr int kSuccess = 0;
  return set_(options_, name, value, false) == kSuccess;
}

std::optional<std::string> SlurmOptions::set_all(
    const std::vector<std::pair<std::string, std::string>>& values) const {
  struct Former {
    const char* name;
    bool was_set;
    std::string value;
  };
  std::vector<Former> touched;
  for (const auto& [name, value] : values) {
    touched.push_back({name.c_str(), is_set(name.c_str()), get(name.c_str())});
    if (set(name.c_str(), value.empty() ? nullptr : value.c_str())) continue;
    for (const Former& former : touched) {
      if (former.was_set)
        static_cast<void>(set(former.name, former.value.c_str()));
      else
        static_cast<void>(reset_(options_, former.name));
    }
    return name;
  }
  return std::nullopt;
}

}  // namespace huddle
