#include "profiles/vocabulary/recorder_libraries.hpp"

#include <unistd.h>

#include <algorithm>

#include "profiles/vocabulary/preload_list.hpp"

namespace huddle {

std::string mpich_recorder_beside(std::string_view recorder) {
  const std::size_t name = recorder.rfind('/') + 1;  // 0 if there is no slash
  const std::size_t dot = std::min(recorder.find('.', name), recorder.size());
  return std::string(recorder.substr(0, dot)) + "_mpich" + std::string(recorder.substr(dot));
}

std::string preload_with_recorders(std::string_view list, std::string_view recorder) {
  const std::string mpich = mpich_recorder_beside(recorder);
  std::string result = preload_without_recorders(list, recorder);
  if (::access(mpich.c_str(), R_OK) == 0) result = preload_with(result, mpich);
  return preload_with(result, recorder);
}

std::string preload_without_recorders(std::string_view list, std::string_view recorder) {
  return preload_without(preload_without(list, recorder), mpich_recorder_beside(recorder));
}

}  // namespace huddle
