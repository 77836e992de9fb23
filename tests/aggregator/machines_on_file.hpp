#pragma once

#include <string>
#include <string_view>

#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// A machine that comes with Huddle, from the source tree.
inline Machine machine_on_file(std::string_view name) {
  return load_machine(std::string(HUDDLE_MACHINES_FOLDER "/") + std::string(name) + ".json");
}

}  // namespace huddle
