#include "profiles/recorder/trace/call_paths.hpp"

#include <doctest/doctest.h>
#include <gnu/libc-version.h>
#include <stdlib.h>

#include <filesystem>

using namespace huddle::recorder;

namespace {

std::uintptr_t behind(const void* function) {
  return reinterpret_cast<std::uintptr_t>(function) + 1;
}

__attribute__((noinline)) void here() {
  asm volatile("");
}

}  // namespace

TEST_CASE("equal call paths have one number, and others another one") {
  CallPathTable table("program");
  const auto own = behind(reinterpret_cast<const void*>(&here));
  const auto library = behind(reinterpret_cast<const void*>(&::gnu_get_libc_version));
  CHECK(table.number_of({own}) == 0);
  CHECK(table.number_of({own, library}) == 1);
  CHECK(table.number_of({own}) == 0);
  CHECK(table.number_of({}) == 2);
}

TEST_CASE("frames are identified by the file of their code and their place in it") {
  CallPathTable table("/somewhere/program");
  const auto own = behind(reinterpret_cast<const void*>(&here));
  const auto library = behind(reinterpret_cast<const void*>(&::gnu_get_libc_version));
  table.number_of({own, library, 1});
  RecordedTrace trace;
  table.describe(trace);
  REQUIRE(trace.call_paths.size() == 1);
  const auto& frames = trace.call_paths[0];
  REQUIRE(frames.size() == 3);
  CHECK(trace.modules.at(frames[0].module) == "/somewhere/program");
  CHECK(trace.modules.at(frames[1].module).find("libc") != std::string::npos);
  CHECK(trace.modules.at(frames[2].module) == "?");
  CHECK(frames[0].offset < std::filesystem::file_size("/proc/self/exe") + (1U << 20U));
  CHECK(frames[1].offset < (1U << 24U));
}
