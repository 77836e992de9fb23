#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/waitstates/report/waitstates_output.hpp"

namespace huddle::cli {
class App;
}

namespace huddle::cli {

/// The options of huddle waitstates.
struct WaitstatesOptions {
  std::vector<std::string> traces;  ///< one; or two, before and after
  std::string machine;              ///< empty: one is assumed, and the output says which
  waitstates::WaitsBy by = waitstates::WaitsBy::kPattern;
  bool json = false;
  bool csv = false;
  std::string html;           ///< empty: no page
  std::uint32_t threads = 0;  ///< 0: as many as help
  bool critical_path = false;
  bool delays = false;
  bool efficiency = false;
  std::vector<std::string> what_ifs;
  std::string profile;  ///< empty: none is completed by what was found
  std::string output;   ///< where the completed profile goes
};

/// Declares the options of the command, to be filled when the command line is parsed.
void declare_waitstates_options(cli::App& command, WaitstatesOptions& options);

/// Throws UsageError for traces or options that can't be together.
void check_waitstates_options(const WaitstatesOptions& options);

/// Analyses the trace, or compares the traces, and puts out what was asked for. Throws what reading
/// and writing throw.
void run_waitstates(const WaitstatesOptions& options);

}  // namespace huddle::cli
