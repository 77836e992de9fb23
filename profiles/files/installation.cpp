#include "profiles/files/installation.hpp"

#include <system_error>

namespace huddle::files {

namespace fs = std::filesystem;

Installation installation() {
  std::error_code unknown;
  return installation_of(fs::read_symlink("/proc/self/exe", unknown));
}

Installation installation_of(const fs::path& executable) {
  std::error_code unreadable;
  if (executable.filename() == "huddle") {
    const fs::path prefix = executable.parent_path().parent_path();
    for (const char* const below : {HUDDLE_MODULES_BELOW_PREFIX, "lib"}) {
      fs::path modules = prefix / below;
      if (fs::exists(modules / "libhuddle_recorder.so", unreadable))
        return {executable, std::move(modules)};
    }
  }
  return {HUDDLE_CONFIGURED_COMMAND, HUDDLE_CONFIGURED_MODULES};
}

}  // namespace huddle::files
