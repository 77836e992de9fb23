#include "spank_plugin/launch/store_access.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/processes/separate_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::chrono::seconds kTimeLimit{1};

std::string result_in_time(const std::filesystem::path& place,
                           const std::function<std::string()>& work) {
  std::optional<std::string> result = in_separate_process(work, kTimeLimit);
  if (!result)
    throw Error(fmt::format("the file system of {} did not answer within {} s", place.string(),
                            kTimeLimit.count()));
  return std::move(*result);
}

}  // namespace

void with_files(const std::filesystem::path& place, const std::function<void()>& work) {
  result_in_time(place, [&] {
    work();
    return std::string();
  });
}

std::string text_with_files(const std::filesystem::path& place,
                            const std::function<std::string()>& work) {
  return result_in_time(place, work);
}

Plan load_plan_in_time(const std::filesystem::path& file) {
  const std::string text = result_in_time(file, [&] { return read_file(file, kMostPlanBytes); });
  return parse_plan(text, file.string());
}

}  // namespace huddle
