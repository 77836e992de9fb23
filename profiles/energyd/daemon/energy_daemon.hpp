#pragma once

#include <filesystem>
#include <string>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::energyd {

struct EnergyDaemonOptions {
  /// Below which /sys and /etc are looked at, for trials.
  std::filesystem::path root = "/";
  /// Where the plugin announces steps.
  std::filesystem::path notices;
  /// The daemon's own directory, where its socket is and what it goes on from.
  std::filesystem::path run;
  /// Where it keeps what it observed of the node's power; a directory that is not there is not
  /// made, and nothing is kept.
  std::filesystem::path state;
  /// The site's policy, of which `energy` matters here.
  Policy policy;
};

/// Serves until SIGTERM or SIGINT. Logs on standard error. Throws SystemError if it can't begin.
void run_energy_daemon(const EnergyDaemonOptions& options);

}  // namespace huddle::energyd
