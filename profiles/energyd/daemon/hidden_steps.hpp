#pragma once

#include <filesystem>
#include <optional>

#include "profiles/energyd/protocol/energy_answer.hpp"

namespace huddle::energyd {

/// Why this process can't see in /proc whether steps run, which are other users' processes, and
/// what lets it; nothing if it sees them. `proc` is for tests. Throws std::bad_alloc only.
std::optional<DaemonTrouble> why_steps_are_hidden(const std::filesystem::path& proc = "/proc");

}  // namespace huddle::energyd
