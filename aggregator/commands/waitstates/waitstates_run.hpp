#pragma once

#include "aggregator/commands/waitstates/waitstates_options.hpp"
#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

/// Analyses the trace and puts out what was asked for. Collective over the processes of `exchange`,
/// which all have the same options; process 0 puts out. Throws UsageError for options that can't
/// be, before it reads the trace, and what reading and writing throw.
void run_waitstates(const WaitstatesOptions& options, Exchange& exchange);

}  // namespace huddle
