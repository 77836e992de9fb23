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

std::string mpich_recorder_beside(std::string_view recorder) {
  const std::size_t name = recorder.rfind('/') + 1;  // 0 if there is no slash
  const std::size_t dot = std::min(recorder.find('.', name), recorder.size());
  return std::string(recorder.substr(0, dot)) + "_mpich" + std::string(recorder.substr(dot));
}

std::string handover_beside(std::string_view recorder) {
  return std::string(recorder.substr(0, recorder.rfind('/') + 1)) + "libhuddle_exec.so";
}

std::string preload_with_recorders(std::string_view list, std::string_view recorder) {
  const std::string mpich = mpich_recorder_beside(recorder);
  std::string result = preload_without_recorders(list, recorder);
  if (::access(mpich.c_str(), R_OK) == 0) result = preload_with(result, mpich);
  return preload_with(result, recorder);
}

std::string preload_without_recorders(std::string_view list, std::string_view recorder) {
  return preload_without(
      preload_without(preload_without(list, recorder), mpich_recorder_beside(recorder)),
      handover_beside(recorder));
}

}  // namespace huddle
