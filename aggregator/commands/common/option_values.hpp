#pragma once

// What values of options mean, and errors that name the option.

#include <string>
#include <vector>

#include "aggregator/operations/launch/program_run.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The share that an option was given as "5%" or "0.05". Throws UsageError.
double share_from(const std::string& option, const std::string& text);

/// The time of "90", "90s", "10m" or "1.5h", above 0. Throws UsageError.
Seconds duration_from(const std::string& option, const std::string& text);

/// The numbers that an option lists: "1,2,4", "1-48" or "1-48:4" (each fourth from 1 on), also
/// mixed; ascending, none twice. Whole numbers of at least 1. Throws UsageError.
std::vector<double> counts_from(const std::string& option, const std::string& text);

/// The same for frequencies: "1.2GHz,2.4GHz" or "1.2-2.4GHz:200MHz", where ranges have a step;
/// in GHz. Throws UsageError.
std::vector<double> frequencies_listed(const std::string& option, const std::string& text);

/// "16x4" or "16x4@2.4GHz": processes, threads and a frequency (0: none given).
struct ProcessesThreads {
  double processes = 1;
  double threads = 1;
  double frequency_ghz = 0;
};

/// Throws UsageError.
ProcessesThreads processes_and_threads_from(const std::string& option, const std::string& text);

/// An error with the option that names what was not found: --hosts, --recorder or --program.
Error with_option(const NotFound& error);

/// Returns what `call` returns; its NotFound becomes an Error with the option.
template <class Call>
auto naming_options(const Call& call) {
  try {
    return call();
  } catch (const NotFound& error) {
    throw with_option(error);
  }
}

}  // namespace huddle
