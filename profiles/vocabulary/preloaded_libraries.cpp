#include "profiles/vocabulary/preloaded_libraries.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace huddle {
namespace {

constexpr std::string_view kSeparators = " :";

std::vector<std::string_view> entries_of(std::string_view list) {
  std::vector<std::string_view> entries;
  while (!list.empty()) {
    const std::size_t length = std::min(list.find_first_of(kSeparators), list.size());
    if (length > 0) entries.push_back(list.substr(0, length));
    list.remove_prefix(std::min(length + 1, list.size()));
  }
  return entries;
}

}  // namespace

std::string preload_with(std::string_view list, std::string_view library) {
  for (const std::string_view entry : entries_of(list))
    if (entry == library) return std::string(list);
  std::string result(library);
  if (!list.empty()) result.append(":").append(list);
  return result;
}

std::string preload_without(std::string_view list, std::string_view library) {
  std::string result;
  for (const std::string_view entry : entries_of(list)) {
    if (entry == library) continue;
    if (!result.empty()) result += ':';
    result += entry;
  }
  return result;
}

std::string recorder_beside(std::string_view recorder, std::string_view which) {
  const std::size_t name = recorder.rfind('/') + 1;  // 0 if there is no slash
  const std::size_t dot = std::min(recorder.find('.', name), recorder.size());
  return std::string(recorder.substr(0, dot)).append(which).append(recorder.substr(dot));
}

std::string handover_beside(std::string_view recorder) {
  return std::string(recorder.substr(0, recorder.rfind('/') + 1)) + "libhuddle_exec.so";
}

std::string preload_with_recorders(std::string_view list, std::string_view recorder) {
  std::string result = preload_without_recorders(list, recorder);
  for (auto which = kOtherRecorders.rbegin(); which != kOtherRecorders.rend(); ++which) {
    const std::string other = recorder_beside(recorder, *which);
    if (::access(other.c_str(), R_OK) == 0) result = preload_with(result, other);
  }
  return preload_with(result, recorder);
}

std::string preload_without_recorders(std::string_view list, std::string_view recorder) {
  std::string result = preload_without(list, recorder);
  for (const std::string_view which : kOtherRecorders)
    result = preload_without(result, recorder_beside(recorder, which));
  return preload_without(result, handover_beside(recorder));
}

}  // namespace huddle
