#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "spank_plugin/runtime/packing/packing_driver.hpp"

namespace huddle::runtime {

using Asked = std::map<std::string, std::string, std::less<>>;

/// The driver that an environment of these variables asks for.
inline std::unique_ptr<PackingDriver> driver_for(const Asked& variables,
                                                 const PackingDriver::Options& options = {}) {
  return PackingDriver::from(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      options);
}

}  // namespace huddle::runtime
