#include "profiles/traces/detail/otf2_library.hpp"

#ifdef HUDDLE_OTF2_LIBRARY
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace {

constexpr std::array kNames = {
#define OTF2_FUNCTION(name) #name,
#include "profiles/traces/detail/otf2_functions.def"
#undef OTF2_FUNCTION
};

}  // namespace

// Where the functions in otf2_entries.S jump to.
extern "C" {
[[gnu::visibility("hidden")]] constinit std::array<void*, kNames.size()> huddle_otf2_functions{};
}

namespace huddle::traces {
namespace {

// Returns why OTF2 can't be used; empty if it can. Symbols of a tool's own OTF2 are not looked at.
// Without dlerror(), whose version is newer than the oldest glibc that programs may have.
std::string load() {
  void* const library = ::dlopen(HUDDLE_OTF2_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return "OTF2's library, " HUDDLE_OTF2_LIBRARY ", can't be loaded";
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    huddle_otf2_functions[i] = ::dlsym(library, kNames[i]);
    if (huddle_otf2_functions[i] == nullptr)
      return fmt::format("{} has no function {}", HUDDLE_OTF2_LIBRARY, kNames[i]);
  }
  return {};
}

}  // namespace

void load_otf2() {
  static const auto& error = *new std::string(load());
  if (!error.empty()) throw Error(error);
}

}  // namespace huddle::traces
#else
void huddle::traces::load_otf2() {}
#endif
