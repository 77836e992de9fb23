#include "aggregator/commands/common/search_path.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "profiles/files/trusted_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Why nothing is looked up there; empty if it is, or if nothing is there.
std::string why_passed_over(const std::string& folder) {
  if (!folder.starts_with('/')) return "it depends on the current directory";
  return why_untrusted(folder);
}

}  // namespace

void trust_search_path() {
  const char* const variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  if (::geteuid() != 0 || variable == nullptr) return;
  std::string trusted;
  for (std::string_view rest = variable;;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, end));
    std::error_code unknown;
    if (const std::string why = why_passed_over(folder); !why.empty())
      fmt::print(stderr,
                 "huddle: no program is looked up in \"{}\" of PATH, since root must not: {}\n",
                 folder, why);
    else if (std::filesystem::is_directory(folder, unknown))
      trusted += (trusted.empty() ? "" : ":") + folder;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  // An empty PATH would mean the current directory; in this one there are no programs.
  if (trusted.empty()) trusted = "/";
  if (::setenv("PATH", trusted.c_str(), 1) != 0) throw SystemError("set", "PATH", errno);
}

}  // namespace huddle
