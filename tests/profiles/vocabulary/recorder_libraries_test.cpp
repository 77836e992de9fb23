#include "profiles/vocabulary/recorder_libraries.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;

TEST_CASE("MPICH's recorder stands beside Open MPI's") {
  CHECK(mpich_recorder_beside("/usr/lib.d/huddle/libhuddle_recorder.so") ==
        "/usr/lib.d/huddle/libhuddle_recorder_mpich.so");
  CHECK(mpich_recorder_beside("recorder.so.1") == "recorder_mpich.so.1");
  CHECK(mpich_recorder_beside("/a.b/recorder") == "/a.b/recorder_mpich");
}

TEST_CASE("both recorders are preloaded, Open MPI's first, and once however often it is asked") {
  const TemporaryDirectory directory;
  const std::string recorder = (directory.path() / "recorder.so").string();
  const std::string mpich = (directory.path() / "recorder_mpich.so").string();
  put_file(mpich, "");
  const std::string list = preload_with_recorders("other.so", recorder);
  CHECK(list == recorder + ":" + mpich + ":other.so");
  CHECK(preload_with_recorders(list, recorder) == list);
  CHECK(preload_with_recorders(mpich + " " + recorder, recorder) == recorder + ":" + mpich);
  CHECK(preload_without_recorders(list, recorder) == "other.so");
}

TEST_CASE("a recorder of MPICH that is not installed is not preloaded") {
  const TemporaryDirectory directory;
  const std::string recorder = (directory.path() / "recorder.so").string();
  CHECK(preload_with_recorders("", recorder) == recorder);
}
