#include "aggregator/operations/doctor/plugstack.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <string_view>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostPlugstackBytes = std::uint64_t{1} << 20U;
constexpr int kDeepest = 16;  // an include that names itself must end

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> files_like(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return files;
}

void read_into(std::vector<PlugstackLine>& lines, const fs::path& file, int depth) {
  std::istringstream text(files::read_file(file, kMostPlugstackBytes));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 2) continue;
    if (words[0] == "include" && depth < kDeepest) {
      const fs::path pattern =
          fs::path(words[1]).is_absolute() ? fs::path(words[1]) : file.parent_path() / words[1];
      for (const std::string& included : files_like(pattern.string()))
        read_into(lines, included, depth + 1);
    }
    if (words[0] == "required" || words[0] == "optional")
      lines.push_back({words[0] == "required",
                       words[1],
                       {words.begin() + 2, words.end()},
                       fmt::format("{}:{}", file.string(), number)});
  }
}

}  // namespace

std::vector<PlugstackLine> read_plugstack(const fs::path& file) {
  std::vector<PlugstackLine> lines;
  try {
    read_into(lines, file, 0);
  } catch (const SystemError& error) {
    if (error.error_number() != ENOENT) throw;
  }
  return lines;
}

std::optional<PlugstackLine> find_huddle(const std::vector<PlugstackLine>& lines) {
  for (const PlugstackLine& line : lines)
    if (fs::path(line.plugin).filename() == "spank_huddle.so") return line;
  return std::nullopt;
}

fs::path plugin_file(const PlugstackLine& line, const std::string& plugin_directories) {
  if (line.plugin.find('/') != std::string::npos) return line.plugin;
  std::istringstream stream(plugin_directories);
  fs::path first;
  for (std::string directory; std::getline(stream, directory, ':');) {
    const fs::path file = fs::path(directory) / line.plugin;
    std::error_code failure;
    if (fs::exists(file, failure)) return file;
    if (first.empty()) first = file;
  }
  return first.empty() ? fs::path(line.plugin) : first;
}

std::string policy_argument(const PlugstackLine& line) {
  constexpr std::string_view kPolicy = "policy=";
  std::string named;
  for (const std::string& argument : line.arguments)
    if (argument.starts_with(kPolicy)) named = argument.substr(kPolicy.size());
  return named;
}

std::string policy_in(const fs::path& plugstack) {
  try {
    const std::optional<PlugstackLine> line = find_huddle(read_plugstack(plugstack));
    return line ? policy_argument(*line) : std::string();
  } catch (const Error&) {  // the check of the plugin reports it
    return {};
  }
}

}  // namespace huddle::doctor
