#pragma once

// Readers of /sys and /proc: lines, numbers and names. All throw std::bad_alloc only.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_file.hpp"

namespace huddle::files {

/// The first line of a file, up to 4 KiB of it; empty if it can't be read.
inline std::string first_line_of(const std::filesystem::path& path) {
  std::array<char, 4096> text{};
  const long size = read_kernel_file(path.c_str(), text.data(), text.size());
  if (size <= 0) return {};
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  return std::string(line.substr(0, line.find('\n')));
}

/// 0 if the text is none.
inline std::uint64_t whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() ? number : 0;
}

/// As names_in() gives them, in order; "hwmon2" comes before "hwmon10".
inline std::vector<std::string> sorted_names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names = names_in(folder);
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

}  // namespace huddle::files
