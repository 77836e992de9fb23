#include "profiles/vocabulary/preloaded_libraries.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

TEST_CASE("a library is put in front of what is preloaded already") {
  CHECK(preload_with("", "/l/r.so") == "/l/r.so");
  CHECK(preload_with("/a.so", "/l/r.so") == "/l/r.so:/a.so");
  CHECK(preload_with("/a.so /b.so", "/l/r.so") == "/l/r.so:/a.so /b.so");
}

TEST_CASE("a library that is in the list is not put there again") {
  for (const char* list :
       {"/l/r.so", "/a.so:/l/r.so", "/a.so /l/r.so", "/l/r.so:/a.so", ":/l/r.so"})
    CHECK(preload_with(list, "/l/r.so") == list);
}

TEST_CASE("a library is the same only by its whole name") {
  CHECK(preload_with("/l/r.so.1", "/l/r.so") == "/l/r.so:/l/r.so.1");
  CHECK(preload_without("/x/l/r.so", "/l/r.so") == "/x/l/r.so");
}

TEST_CASE("a library is taken out wherever it stands, and the others stay in order") {
  CHECK(preload_without("", "/l/r.so") == "");
  CHECK(preload_without("/l/r.so", "/l/r.so") == "");
  CHECK(preload_without("/l/r.so:/a.so", "/l/r.so") == "/a.so");
  CHECK(preload_without("/a.so /l/r.so /b.so", "/l/r.so") == "/a.so:/b.so");
  CHECK(preload_without("/l/r.so:/l/r.so::/a.so:", "/l/r.so") == "/a.so");
}

TEST_CASE("what is put in can be taken out again") {
  for (const char* list : {"", "/a.so", "/a.so:/b.so"})
    CHECK(preload_without(preload_with(list, "/l/r.so"), "/l/r.so") == list);
}

TEST_CASE("the recorders of other interfaces stand beside Open MPI's") {
  CHECK(recorder_beside("/usr/lib.d/huddle/libhuddle_recorder.so", "_mpich") ==
        "/usr/lib.d/huddle/libhuddle_recorder_mpich.so");
  CHECK(recorder_beside("recorder.so.1", "_abi") == "recorder_abi.so.1");
  CHECK(recorder_beside("/a.b/recorder", "_mpich") == "/a.b/recorder_mpich");
}

TEST_CASE("all recorders are preloaded, Open MPI's first, and once however often it is asked") {
  const store::TemporaryDirectory directory;
  const std::string recorder = (directory.path() / "recorder.so").string();
  const std::string mpich = (directory.path() / "recorder_mpich.so").string();
  const std::string abi = (directory.path() / "recorder_abi.so").string();
  store::put_file(mpich, "");
  store::put_file(abi, "");
  const std::string all = recorder + ":" + mpich + ":" + abi;
  const std::string list = preload_with_recorders("other.so", recorder);
  CHECK(list == all + ":other.so");
  CHECK(preload_with_recorders(list, recorder) == list);
  CHECK(preload_with_recorders(abi + " " + mpich + " " + recorder, recorder) == all);
  CHECK(preload_without_recorders(list, recorder) == "other.so");
}

TEST_CASE("a recorder that is not installed is not preloaded") {
  const store::TemporaryDirectory directory;
  const std::string recorder = (directory.path() / "recorder.so").string();
  CHECK(preload_with_recorders("", recorder) == recorder);
}

TEST_CASE("what hands recorders on is beside them, and is taken out with them") {
  CHECK(handover_beside("/opt/lib/recorder.so") == "/opt/lib/libhuddle_exec.so");
  CHECK(handover_beside("recorder.so") == "libhuddle_exec.so");
  const std::string list = "/opt/lib/libhuddle_exec.so:/opt/lib/recorder.so:other.so";
  CHECK(preload_without_recorders(list, "/opt/lib/recorder.so") == "other.so");
}

}  // namespace
}  // namespace huddle
