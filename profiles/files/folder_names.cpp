#include "profiles/files/folder_names.hpp"

#include <dirent.h>

#include <memory>
#include <string_view>

namespace huddle::files {

std::vector<std::string> names_in(const std::filesystem::path& folder, std::size_t most) {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> directory(::opendir(folder.c_str()));
  if (!directory) return names;
  while (names.size() < most) {
    const dirent* const entry = ::readdir(directory.get());  // NOLINT: no other thread has it
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace huddle::files
