#include "profiles/programs/training/kernel_computations.hpp"

#include <cstdio>

namespace huddle::calibration {

std::string difference(const char* what, double found, double expected) {
  char text[200];
  std::snprintf(text, sizeof text, "%s: found %.17g, expected %.17g", what, found, expected);
  return text;
}

std::string difference(const char* what, std::uint64_t found, std::uint64_t expected) {
  char text[200];
  std::snprintf(text, sizeof text, "%s: found %llu, expected %llu", what,
                static_cast<unsigned long long>(found), static_cast<unsigned long long>(expected));
  return text;
}

}  // namespace huddle::calibration
