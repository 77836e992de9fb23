#pragma once

#include <filesystem>

namespace huddle::files {

/// A name in the same directory, with a leading dot and `.tmp` at its end, that no other process of
/// any host makes: it holds host, process and time. Safe from any thread.
std::filesystem::path temporary_name(const std::filesystem::path& path);

}  // namespace huddle::files
