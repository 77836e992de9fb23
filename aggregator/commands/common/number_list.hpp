#pragma once

#include <string>
#include <vector>

namespace huddle {

/// The numbers that an option lists: "1,2,4", "1-48" or "1-48:4" (each fourth from 1 on), also
/// mixed; ascending, none twice. Whole numbers of at least 1. Throws UsageError.
std::vector<double> counts_from(const std::string& option, const std::string& text);

/// The same for frequencies: "1.2GHz,2.4GHz" or "1.2-2.4GHz:200MHz", where ranges have a step;
/// in GHz. Throws UsageError.
std::vector<double> frequencies_listed(const std::string& option, const std::string& text);

/// "16x4" or "16x4@2.4GHz": processes, threads and a frequency (0: not told).
struct ProcessesThreads {
  double processes = 1;
  double threads = 1;
  double frequency_ghz = 0;
};

/// Throws UsageError.
ProcessesThreads processes_and_threads_from(const std::string& option, const std::string& text);

}  // namespace huddle
