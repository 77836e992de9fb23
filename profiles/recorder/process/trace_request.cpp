#include "profiles/recorder/process/trace_request.hpp"

#include <algorithm>

namespace huddle::recorder {
namespace {

constexpr std::uint64_t kLargestBuffer = 1024;
constexpr std::uint64_t kLargestLimit = std::uint64_t{1} << 40U;

}  // namespace

TraceRequest TraceRequest::from(const Environment& environment) {
  TraceRequest request;
  const auto folder = text_of(environment, "HUDDLE_TRACE");
  request.beside_profile = folder == "1";
  if (!folder.empty() && !request.beside_profile)
    request.folder = std::filesystem::absolute(folder);
  const auto mebibytes = [&](const char* name, std::uint64_t largest, std::uint64_t& bytes) {
    if (const auto number = number_of<std::uint64_t>(environment, name); number && *number > 0)
      bytes = std::min(*number, largest) * kMiB;
  };
  mebibytes("HUDDLE_TRACE_BUFFER", kLargestBuffer, request.buffer_bytes);
  mebibytes("HUDDLE_TRACE_LIMIT", kLargestLimit, request.limit_bytes);
  return request;
}

}  // namespace huddle::recorder
