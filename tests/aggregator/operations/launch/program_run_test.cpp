#include "aggregator/operations/launch/program_run.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "profiles/files/atomic_file.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::operations {
namespace {

std::vector<std::string> shell(const std::string& script) {
  return {"sh", "-c", script};
}

TEST_CASE("a run ends with its command's status, and what it printed is in the file") {
  const store::TemporaryDirectory folder;
  RunRequest request{shell("echo $GREETING; echo more >&2; exit 3"), {{"GREETING", "hello"}}};
  request.output = folder.path() / "output";
  const RunEnd end = run_to_end(request);
  CHECK(end.status == 3);
  CHECK_FALSE(end.lost_patience);
  CHECK_FALSE(end.interrupted);
  CHECK(files::read_file(request.output, 100) == "hello\nmore\n");
}

TEST_CASE("a run that takes too long is ended, and so is what it started") {
  const store::TemporaryDirectory folder;
  RunRequest request{shell("sleep 60 & wait")};
  request.output = folder.path() / "output";
  request.patience = Seconds{0.1};
  const RunEnd end = run_to_end(request);
  CHECK(end.lost_patience);
  CHECK(end.status == 128 + SIGTERM);
}

TEST_CASE("a request to end ends the run") {
  const store::TemporaryDirectory folder;
  RunRequest request{shell("kill -TERM $PPID; sleep 60")};
  request.output = folder.path() / "output";
  CHECK(run_to_end(request).interrupted);
}

TEST_CASE("a command that does not exist can't be started") {
  CHECK_THROWS_AS(run_to_end({{"/no/such/command"}}), SystemError);
  CHECK(output_of({"/no/such/command"}).empty());
}

TEST_CASE("what a command prints on both its outputs is read, unless it takes too long") {
  CHECK(output_of(shell("echo out; echo err >&2")) == "out\nerr\n");
  CHECK(output_of(shell("echo out; sleep 60"), Seconds{0.2}).empty());
}

TEST_CASE("a recorder or a program that is not there is named, without an option") {
  const std::string recorder = error_of<NotFound>(
      [] { static_cast<void>(recorder_variables("/no/recorder.so", "profile.json")); });
  CHECK(recorder == "can't read the recorder /no/recorder.so");
  const std::string program = error_of<NotFound>([] {
    static_cast<void>(program_beside_recorder("", "/no/recorder.so", "kernels", "training"));
  });
  CHECK(program == "can't run the training program /no/kernels");
}

}  // namespace
}  // namespace huddle::operations
