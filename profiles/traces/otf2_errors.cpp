#include "profiles/traces/otf2_errors.hpp"

#include <otf2/OTF2_ErrorCodes.h>

#include <cstdarg>

namespace huddle {
namespace {

thread_local OTF2_ErrorCode from_system = OTF2_SUCCESS;
thread_local OTF2_ErrorCode last = OTF2_SUCCESS;

// OTF2 calls this on each level that an error passes; outer ones know less.
OTF2_ErrorCode keep(void* /*data*/, const char* /*file*/, std::uint64_t /*line*/,
                    const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                    std::va_list /*arguments*/) {
  if (code >= OTF2_ERROR_E2BIG && code <= OTF2_ERROR_EXDEV) from_system = code;
  last = code;
  return code;
}

}  // namespace

void keep_otf2_errors() {
  static const OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep, nullptr);
  static_cast<void>(before);
  from_system = last = OTF2_SUCCESS;
}

std::string last_otf2_error() {
  const OTF2_ErrorCode code = from_system == OTF2_SUCCESS ? last : from_system;
  return code == OTF2_SUCCESS ? "OTF2 does not say why" : OTF2_Error_GetDescription(code);
}

}  // namespace huddle
