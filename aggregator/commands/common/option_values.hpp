#pragma once

// Meanings of options' values, and errors that name the option.

#include <string>

#include "aggregator/operations/launch/program_run.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::cli {

/// The share that an option was given as "5%" or "0.05". Throws UsageError.
double share_from(const std::string& option, const std::string& text);

/// The time of "90", "90s", "10m" or "1.5h", above 0. Throws UsageError.
Seconds duration_from(const std::string& option, const std::string& text);

/// An error with the option that names what was not found: --hosts, --recorder or --program.
Error with_option(const operations::NotFound& error);

/// Returns what `call` returns; its NotFound becomes an Error with the option.
template <class Call>
auto naming_options(const Call& call) {
  try {
    return call();
  } catch (const operations::NotFound& error) {
    throw with_option(error);
  }
}

}  // namespace huddle::cli
