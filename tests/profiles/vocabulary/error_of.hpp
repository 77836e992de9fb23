#pragma once

#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

/// The complaint of `work` when it throws a `Kind` of error; empty if it throws nothing. Any other
/// exception passes.
template <class Kind = Error, class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Kind& error) {
    return error.what();
  }
  return {};
}

}  // namespace huddle
