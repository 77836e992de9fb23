#pragma once

// Internal to the policy's reader: keys that are gone.

#include <array>
#include <string_view>

namespace huddle {

/// A key that an earlier version knew, and what replaces it.
struct RemovedKey {
  std::string_view name;
  std::string_view replacement;
};

inline constexpr auto kRemovedKeys = std::to_array<RemovedKey>({
    {"announce", "none: packed jobs always say so in their comment"},
    {"check_every", "withdraw, which switches all comparing off; it is every 20 runs"},
    {"frequency.balance_by_default", "frequency.balance = \"by default\""},
    {"profiles.move_ranks",
     "profiles.samples = 2, which measures a second run on nodes that are filled in different "
     "ways"},
    {"profiles.quota_files", "profiles.quota_bytes, which allows a file for each megabyte"},
    {"profiles.traces", "none: traces count in profiles.quota_bytes"},
    {"programs.clocks", "programs.modules, the folder that it is in"},
    {"programs.courier", "programs.modules, the folder that it is in"},
    {"programs.mpirun_helper", "programs.modules, the folder that it is in"},
    {"programs.recorder", "programs.modules, the folder that it is in"},
    {"threads.auto_by_default", "threads.allow = \"by default\""},
    {"threads.fewer_cpus", "none: threads=pack runs teams on fewer of their ranks' cores"},
});

}  // namespace huddle
