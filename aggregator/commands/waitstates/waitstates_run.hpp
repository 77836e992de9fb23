#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/waitstates/report/waitstates_output.hpp"

namespace huddle::cli {
class App;
}

namespace huddle {

/// What huddle waitstates was asked for.
struct WaitstatesOptions {
  /// One; or two, before and after; or, with `base`, all of those after.
  std::vector<std::string> traces;
  std::vector<std::string> base;  ///< traces of the runs before
  std::string program;            ///< empty: the one that the trace names
  std::string machine;            ///< empty: one is assumed, and the output says which
  WaitsBy by = WaitsBy::kPattern;
  bool json = false;
  bool csv = false;
  std::string html;           ///< empty: no page
  std::string cubex;          ///< empty: no file for Cube
  std::uint32_t threads = 0;  ///< 0: as many as help
  std::optional<std::uint32_t> bins;
  bool critical_path = false;
  bool counters = false;
  bool delays = false;
  std::vector<std::string> what_ifs;
  std::string profile;  ///< empty: none is completed by what was found
  std::string output;   ///< where the completed profile goes
};

/// Declares the options of the command, to be filled when the command line is parsed.
void declare_waitstates_options(cli::App& command, WaitstatesOptions& options);

/// The runs that a comparison is of, before and after; two empty lists if none was asked for.
/// Throws UsageError for traces or options that no comparison has.
struct ComparedTraces {
  std::vector<std::string> before;
  std::vector<std::string> after;
};
ComparedTraces compared_traces(const WaitstatesOptions& options);

/// Analyses the trace, or compares the traces, and puts out what was asked for. Throws UsageError
/// for options that can't be, before it reads the trace, and what reading and writing throw.
void run_waitstates(const WaitstatesOptions& options);

}  // namespace huddle
