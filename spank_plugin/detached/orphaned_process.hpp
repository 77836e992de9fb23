#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace huddle {

// The other end of a DetachedProcess: what the program does that it starts. The connection is the
// standard input.

/// Goes on in a child that belongs to nobody; the parent ends. False if there can be none.
bool became_orphan();

/// Reads the order, lines the last of which is "end". Nothing if the connection ends, the order is
/// too long or of another version (which it answers), or it is not whole within `patience`.
std::optional<std::string> read_order(
    std::chrono::milliseconds patience = std::chrono::milliseconds(2000));

/// Answers that this process is ready. False if nobody listens any more.
bool say_ready();

}  // namespace huddle
