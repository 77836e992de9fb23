#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace huddle::store {

/// A new, empty directory of this test alone, removed with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The number of entries, hidden ones too.
  [[nodiscard]] std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

/// Writes a file without any of the care that the code under test takes.
void put_file(const std::filesystem::path& path, std::string_view content);
std::string get_file(const std::filesystem::path& path);

}  // namespace huddle::store
