#include "profiles/recorder/process/this_process.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "profiles/recorder/process/signals.hpp"

using namespace huddle::recorder;

TEST_CASE("a program knows its executable and its build id") {
  const Program program = this_program();
  CHECK(std::filesystem::exists(program.executable));
  // GNU ld gives 20 bytes of SHA-1, other linkers other hashes; in hexadecimal all.
  CHECK(program.build_id.size() >= 16);
  CHECK(program.build_id.find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("the peak of resident memory covers what was touched") {
  const std::uint64_t before = peak_resident().value;
  CHECK(before > 0);
  const std::vector<char> touched(before + (32U << 20U), 'x');
  CHECK(peak_resident().value >= touched.size());
}

TEST_CASE("the processor time of a process grows while it works") {
  const auto before = process_cpu_time();
  volatile unsigned sum = 0;
  while (process_cpu_time().value < before.value + 0.01) sum = sum + 1;
  CHECK(process_cpu_time() > before);
}

TEST_CASE("a node has a name") {
  CHECK(!node_name().empty());
}

TEST_CASE("a file beyond the limit is an error and not the end while the guard lives") {
  std::string path = (std::filesystem::temp_directory_path() / "huddle-test-XXXXXX").string();
  const int file = mkstemp(path.data());
  REQUIRE(file >= 0);
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const rlimit low{.rlim_cur = 1, .rlim_max = limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
  {
    const FileLimitGuard guard;
    CHECK(write(file, "ab", 2) == 1);
    CHECK(write(file, "c", 1) == -1);
    CHECK(errno == EFBIG);
  }
  sigset_t pending;
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGXFSZ) == 0);
  setrlimit(RLIMIT_FSIZE, &limit);
  close(file);
  unlink(path.c_str());
}
