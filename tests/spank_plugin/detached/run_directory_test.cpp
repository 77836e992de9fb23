#include "spank_plugin/detached/run_directory.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::detached {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the mark of a slurmd ends with the process that it became, and not before") {
  const store::TemporaryDirectory directory;
  const fs::path run = directory.path() / "run";
  CHECK_FALSE(slurmd_is_marked(run));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    mark_this_slurmd(run);
    const pid_t daemon = ::fork();  // as slurmd does after the plugin was loaded
    if (daemon == 0) ::pause();
    static_cast<void>(!::write(ends[1], &daemon, sizeof daemon));
    ::_exit(0);
  }
  pid_t daemon = 0;
  REQUIRE(::read(ends[0], &daemon, sizeof daemon) == sizeof daemon);
  ::waitpid(parent, nullptr, 0);
  CHECK(slurmd_is_marked(run));
  CHECK(slurmd_is_marked(run));  // asking takes nothing
  ::close(ends[1]);              // the daemon has the last one
  ::kill(daemon, SIGKILL);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);
  ::close(ends[0]);
  for (int i = 0; i < 1000 && slurmd_is_marked(run); ++i) ::usleep(1000);
  CHECK_FALSE(slurmd_is_marked(run));
  CHECK((fs::status(run / "slurmd").permissions() & fs::perms::others_all) == fs::perms::none);
}

TEST_CASE("a directory that others may write to is not believed") {
  const store::TemporaryDirectory directory;
  const fs::path run = directory.path() / "run";
  keep_job_scope(run, 17, {"debug", "green"});
  ::chmod(run.c_str(), 0777);
  CHECK_THROWS_AS(keep_job_scope(run, 18, {"debug", "green"}), Error);
  CHECK_THROWS_AS(static_cast<void>(job_scope(run, 17)), Error);
  CHECK_THROWS_AS(mark_this_slurmd(run), Error);
  CHECK_FALSE(slurmd_is_marked(run));
}

TEST_CASE(
    "others can neither list the directory nor ask it for a job, though an earlier version let "
    "them") {
  const store::TemporaryDirectory directory;
  const fs::path run = directory.path() / "run";
  fs::create_directory(run);
  ::chmod(run.c_str(), 0755);
  keep_job_scope(run, 17, {"debug", "green"});
  CHECK(fs::status(run).permissions() ==
        (fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec));
  CHECK(fs::status(run / "jobs").permissions() == fs::perms::owner_all);
}

TEST_CASE("a job's partition and account are kept until they are forgotten") {
  const store::TemporaryDirectory directory;
  const fs::path run = directory.path() / "run";
  CHECK_FALSE(job_scope(run, 17).has_value());
  keep_job_scope(run, 17, {"debug", ""});
  keep_job_scope(run, 17, {"debug", "green"});
  CHECK(job_scope(run, 17) == JobScope{"debug", "green"});
  CHECK_FALSE(job_scope(run, 18).has_value());
  forget_job_scope(run, 17);
  CHECK_FALSE(job_scope(run, 17).has_value());
}

TEST_CASE("a lock is another's only once it has been let go, and nobody else may open its file") {
  using namespace std::chrono_literals;
  const store::TemporaryDirectory directory;
  const fs::path run = directory.path() / "run";
  files::OwnedDescriptor first = hold_lock(run, "couriers", 0ms);
  CHECK_THROWS_AS(hold_lock(run, "couriers", 20ms), Error);
  CHECK(hold_lock(run, "others", 0ms).valid());
  first.close();
  CHECK(hold_lock(run, "couriers", 0ms).valid());
  CHECK(fs::status(run / "couriers").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

}  // namespace
}  // namespace huddle::detached
