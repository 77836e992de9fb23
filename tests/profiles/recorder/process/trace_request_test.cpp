#include "profiles/recorder/process/trace_request.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace huddle::recorder;

namespace {

TraceRequest request_of(const std::map<std::string, std::string>& variables) {
  return TraceRequest::from([&](const char* name) -> const char* {
    const auto place = variables.find(name);
    return place == variables.end() ? nullptr : place->second.c_str();
  });
}

}  // namespace

TEST_CASE("nothing is traced unless it is asked for") {
  CHECK_FALSE(request_of({}).wanted());
  CHECK_FALSE(request_of({{"HUDDLE_TRACE", ""}}).wanted());
  CHECK_FALSE(request_of({{"HUDDLE_TRACE_LIMIT", "5"}}).wanted());
}

TEST_CASE("a trace's folder is named, or is beside the profile") {
  CHECK(request_of({{"HUDDLE_TRACE", "/a/b"}}).folder == "/a/b");
  CHECK(request_of({{"HUDDLE_TRACE", "b"}}).folder == std::filesystem::current_path() / "b");
  const TraceRequest beside = request_of({{"HUDDLE_TRACE", "1"}});
  CHECK(beside.wanted());
  CHECK(beside.beside_profile);
  CHECK(beside.folder.empty());
}

TEST_CASE("sizes are in MiB, and what is no size is passed over") {
  const TraceRequest some =
      request_of({{"HUDDLE_TRACE_BUFFER", "3"}, {"HUDDLE_TRACE_LIMIT", "100"}});
  CHECK(some.buffer_bytes == 3U << 20U);
  CHECK(some.limit_bytes == 100U << 20U);
  for (const char* wrong : {"0", "-1", "x", "", "1.5"}) {
    const TraceRequest usual =
        request_of({{"HUDDLE_TRACE_BUFFER", wrong}, {"HUDDLE_TRACE_LIMIT", wrong}});
    CHECK(usual.buffer_bytes == 1U << 20U);
    CHECK(usual.limit_bytes == std::uint64_t{4} << 30U);
  }
  CHECK(request_of({{"HUDDLE_TRACE_BUFFER", "99999999999"}}).buffer_bytes == 1U << 30U);
}
