#include "profiles/traces/otf2_errors.hpp"

#include <otf2/OTF2_ErrorCodes.h>

#include <array>
#include <cstdarg>
#include <cstdio>

namespace huddle {
namespace {

thread_local std::array<char, 256> last_error{};
thread_local OTF2_ErrorCode last_code = OTF2_SUCCESS;

// What comes first is from farthest inside; the last one says what could not be done.
OTF2_ErrorCode keep(void* /*data*/, const char* /*file*/, std::uint64_t /*line*/,
                    const char* /*function*/, OTF2_ErrorCode code, const char* format,
                    std::va_list arguments) {
  last_code = code;
  std::vsnprintf(last_error.data(), last_error.size(), format == nullptr ? "" : format, arguments);
  return code;
}

}  // namespace

void keep_otf2_quiet() {
  static const OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep, nullptr);
  static_cast<void>(before);
}

std::string last_otf2_error() {
  std::string text = OTF2_Error_GetDescription(last_code);
  if (last_error[0] != '\0') text.append(": ").append(last_error.data());
  return text;
}

}  // namespace huddle
