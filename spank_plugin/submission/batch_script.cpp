#include "spank_plugin/submission/batch_script.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

// "#SBATCH   hetjob  # comment" has the words "#SBATCH" and "hetjob".
bool parts_a_job(std::string_view line) {
  constexpr std::string_view kDirective = "#SBATCH";
  if (!line.starts_with(kDirective)) return false;
  line.remove_prefix(kDirective.size());
  const auto begin = line.find_first_not_of(" \t");
  if (begin == 0 || begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r#"));
  return word == "hetjob" || word == "packjob";
}

bool is_such_script(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  return file && asks_for_several_parts(file);
}

bool is_such_input() {
  struct stat status {};
  if (::fstat(0, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return is_such_script("/proc/self/fd/0");  // opened anew: its position is sbatch's own
}

}  // namespace

bool asks_for_several_parts(std::istream& script) {
  std::size_t bytes = 0;
  for (std::string line; std::getline(script, line); bytes += line.size()) {
    if (bytes > kMostBytes || (!line.empty() && line[0] != '#')) return false;
    if (parts_a_job(line)) return true;
  }
  return false;
}

bool submits_several_parts(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), ":") != words.end()) return true;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (!words[i].empty() && words[i][0] != '-' && is_such_script(words[i])) return true;
  return is_such_input();
}

}  // namespace huddle
