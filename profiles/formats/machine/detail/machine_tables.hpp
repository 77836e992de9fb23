#pragma once

// Internal to the reader and writer of machines: brings nlohmann/json.

#include <vector>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// Each reads the array of that name in a machine document: entries of the same key are put
/// together, and all are put in order. Throws FormatError.
std::vector<MessageTimes> read_messages(const Field& field);
std::vector<CollectiveTimes> read_collectives(const Field& field);
std::vector<MemoryStream> read_memory_streams(const Field& field);

nlohmann::ordered_json encoded(const std::vector<MessageTimes>& messages);
nlohmann::ordered_json encoded(const std::vector<CollectiveTimes>& collectives);
nlohmann::ordered_json encoded(const std::vector<MemoryStream>& streams);

}  // namespace huddle
