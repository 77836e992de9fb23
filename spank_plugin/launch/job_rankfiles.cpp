#include "spank_plugin/launch/job_rankfiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "job-";
constexpr std::string_view kEnd = ".rankfile";

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_of_a_job(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
  if (name.size() <= kBegin.size() + kEnd.size()) return false;
  const std::string_view job =
      name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  const std::size_t dash = job.find('-');
  return is_number(job.substr(0, dash)) &&
         (dash == std::string_view::npos || is_number(job.substr(dash + 1)));
}

}  // namespace

fs::path rankfile_beside(const fs::path& plan_file, std::string_view job, std::size_t companion) {
  const std::string place = companion == 0 ? "" : fmt::format("-{}", companion);
  return plan_file.parent_path() / fmt::format("{}{}{}{}", kBegin, job, place, kEnd);
}

bool is_rankfile(const fs::path& file, std::uint32_t ranks) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
  std::string text;
  try {
    text = files::read_own_file(file, kMostBytes);
  } catch (const Error&) {
    return false;
  }
  std::uint32_t lines = 0;
  for (std::size_t begin = 0; begin < text.size(); ++lines) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos ||
        !text.substr(begin, end - begin).starts_with(fmt::format("rank {}=", lines)))
      return false;
    begin = end + 1;
  }
  return lines == ranks;
}

void remove_old_rankfiles(const fs::path& folder) {
  constexpr std::chrono::hours kLongestJob{24 * 60};
  const auto oldest = fs::file_time_type::clock::now() - kLongestJob;
  for (const std::string& name : files::names_in(folder)) {
    std::error_code ignored;
    if (is_of_a_job(name) && fs::last_write_time(folder / name, ignored) < oldest && !ignored)
      fs::remove(folder / name, ignored);
  }
}

}  // namespace huddle::launch
