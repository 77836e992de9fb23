#pragma once

#include <filesystem>
#include <string>

namespace huddle {

/// Whether `path` is a trace rather than a profile: a folder, or a file that ends in .otf2.
bool names_a_trace(const std::filesystem::path& path);

enum class TraceOutput : std::uint8_t { kText, kJson, kCheck };

/// What huddle show prints of a trace; reads all of it. kCheck: one line for a sound trace, else
/// throws Error.
std::string show_trace(const std::filesystem::path& path, TraceOutput output);

}  // namespace huddle
