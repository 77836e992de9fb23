#include "profiles/files/atomic_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <thread>
#include <vector>

#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::files {
namespace {

namespace fs = std::filesystem;

// Runs `work` in a process of its own, which may limit itself; true if it returned true.
template <class Work>
bool in_a_child(Work&& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool good = false;
    try {
      good = work();
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

TEST_CASE("a file is not there before it is committed, and whole afterwards") {
  const store::TemporaryDirectory directory;
  const fs::path path = directory.path() / "f";
  AtomicFile file(path);
  file.write("one ");
  file.write("");
  file.write("two");
  CHECK_FALSE(fs::exists(path));
  file.commit();
  CHECK(store::get_file(path) == "one two");
  CHECK(directory.entries() == 1);
}

TEST_CASE("a file that is never committed leaves nothing behind") {
  const store::TemporaryDirectory directory;
  {
    AtomicFile file(directory.path() / "f");
    file.write("half");
    CHECK(directory.entries() == 1);
  }
  CHECK(directory.entries() == 0);
}

TEST_CASE("readers of an older file keep it until the new one is whole") {
  const store::TemporaryDirectory directory;
  const fs::path path = directory.path() / "f";
  store::put_file(path, "old");
  AtomicFile file(path);
  file.write("new");
  CHECK(store::get_file(path) == "old");
  file.commit();
  CHECK(store::get_file(path) == "new");
}

TEST_CASE("a file has the mode that was asked for") {
  const store::TemporaryDirectory directory;
  const mode_t before = ::umask(0);
  AtomicFile(directory.path() / "private", 0600).commit();
  AtomicFile(directory.path() / "usual").commit();
  ::umask(before);
  CHECK(mode_of(directory.path() / "private") == 0600);
  CHECK(mode_of(directory.path() / "usual") == 0644);
}

TEST_CASE("a symbolic link is replaced, not followed") {
  const store::TemporaryDirectory directory;
  store::put_file(directory.path() / "target", "untouched");
  fs::create_symlink("target", directory.path() / "link");
  AtomicFile file(directory.path() / "link");
  file.write("new");
  file.commit();
  CHECK(store::get_file(directory.path() / "target") == "untouched");
  CHECK_FALSE(fs::is_symlink(directory.path() / "link"));
}

TEST_CASE("a directory, a device or a pipe in the place is refused, never replaced") {
  const store::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "folder";
  const fs::path pipe = directory.path() / "pipe";
  fs::create_directory(folder);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const fs::path& path : {folder, pipe})
    CHECK(error_of([&] { AtomicFile(path).commit(); }) ==
          fmt::format("can't replace {}: it is not a regular file", path.string()));
  CHECK(fs::is_directory(folder));
  CHECK(fs::is_fifo(pipe));
  CHECK(directory.entries() == 2);
}

TEST_CASE("a missing directory is an error that names the file") {
  const store::TemporaryDirectory directory;
  CHECK(error_of<SystemError>([&] { AtomicFile(directory.path() / "no" / "f"); }) ==
        fmt::format("can't create {}/no/f: No such file or directory", directory.path().string()));
}

TEST_CASE("a directory that may not be written is an error") {
  const store::TemporaryDirectory directory;
  ::chmod(directory.path().c_str(), 0555);
  const bool refused = in_a_child([&] {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return false;
    return error_of<SystemError>([&] { AtomicFile(directory.path() / "f"); })
        .ends_with(": Permission denied");
  });
  ::chmod(directory.path().c_str(), 0755);
  CHECK(refused);
}

TEST_CASE("a disk that takes no more is an error, and nothing is left behind") {
  const store::TemporaryDirectory directory;
  const fs::path path = directory.path() / "f";
  const bool refused = in_a_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    const std::string error = error_of<SystemError>([&] {
      AtomicFile file(path);
      file.write(std::string(10'000, 'x'));
      file.commit();
    });
    return error == fmt::format("can't write {}: File too large", path.string());
  });
  CHECK(refused);
  CHECK(directory.entries() == 0);
}

TEST_CASE("of many threads that write one file at once, one wins whole") {
  const store::TemporaryDirectory directory;
  const fs::path path = directory.path() / "f";
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, i] {
      for (int turn = 0; turn < 20; ++turn) {
        AtomicFile file(path);
        for (int piece = 0; piece < 10; ++piece) file.write(std::string(100, char('a' + i)));
        file.commit();
      }
    });
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0;
  std::thread reader([&] {
    while (!done) {
      if (!fs::exists(path)) continue;
      const std::string content = store::get_file(path);
      if (content != std::string(1000, content.front())) ++torn;
    }
  });
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  CHECK(torn == 0);
  CHECK(directory.entries() == 1);
}

TEST_CASE("a file is read whole, up to the limit") {
  const store::TemporaryDirectory directory;
  const fs::path path = directory.path() / "f";
  store::put_file(path, "12345");
  CHECK(read_file(path, 5) == "12345");
  CHECK(error_of<FormatError>([&] { read_file(path, 4); }) ==
        path.string() + ": the file: found 5 bytes, expected at most 4 bytes");
  store::put_file(path, "");
  CHECK(read_file(path, 0) == "");
}

TEST_CASE("a missing file, a directory and a pipe are errors at once") {
  const store::TemporaryDirectory directory;
  const fs::path pipe = directory.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(error_of<SystemError>([&] {
          read_file(directory.path() / "no", 1);
        }).ends_with("/no: No such file or directory"));
  const std::string odd =
      ": the file: found something that is not a regular file, expected a regular file";
  CHECK(error_of<FormatError>([&] { read_file(pipe, 1); }) == pipe.string() + odd);
  CHECK(error_of<FormatError>([&] { read_file(directory.path(), 1); }) ==
        directory.path().string() + odd);
}

}  // namespace
}  // namespace huddle::files
