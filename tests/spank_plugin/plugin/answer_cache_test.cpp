#include "spank_plugin/plugin/client/answer_cache.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::plugin {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

struct RuntimeDirectory {
  RuntimeDirectory() { ::chmod(directory.path().c_str(), 0700); }
  [[nodiscard]] AnswerCache cache() const { return AnswerCache(directory.path().string()); }
  store::TemporaryDirectory directory;
};

TEST_CASE("an answer is there for the same question, and for so long") {
  const RuntimeDirectory runtime;
  const auto now = system_clock::now();
  CHECK_FALSE(runtime.cache().find("a", seconds(60)));
  runtime.cache().keep("a", std::string("one\0two", 7));
  CHECK(runtime.cache().find("a", seconds(60)) == std::string("one\0two", 7));
  CHECK_FALSE(runtime.cache().find("a", seconds(60), now + seconds(61)));
  CHECK_FALSE(runtime.cache().find("a", seconds(60), now - seconds(10)));
}

TEST_CASE("another question has no answer, also where it takes the same file") {
  const RuntimeDirectory runtime;
  for (int i = 0; i < 1000; ++i) {
    const std::string question = "question " + std::to_string(i);
    CHECK_FALSE(runtime.cache().find(question, seconds(60)));
    runtime.cache().keep(question, std::to_string(i));
    CHECK(runtime.cache().find(question, seconds(60)) == std::to_string(i));
    CHECK_FALSE(runtime.cache().find(question + " ", seconds(60)));
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(runtime.directory.path() / "huddle"))
    files += entry.is_regular_file() ? 1U : 0U;
  CHECK(files <= 64);
}

TEST_CASE("Slurm is asked once for what is kept, and each time where nothing can be kept") {
  const RuntimeDirectory runtime;
  int asked = 0;
  const auto ask = [&] {
    ++asked;
    return std::string("yes");
  };
  for (int i = 0; i < 3; ++i) CHECK(runtime.cache().answer("a", seconds(60), ask) == "yes");
  CHECK(asked == 1);
  for (int i = 0; i < 2; ++i) CHECK(AnswerCache("").answer("a", seconds(60), ask) == "yes");
  CHECK(asked == 3);
}

TEST_CASE("nothing is kept in a directory that others may read, in none, or behind a link") {
  const RuntimeDirectory runtime;
  ::chmod(runtime.directory.path().c_str(), 0750);
  runtime.cache().keep("a", "1");
  CHECK_FALSE(runtime.cache().find("a", seconds(60)));
  CHECK(runtime.directory.entries() == 0);
  ::chmod(runtime.directory.path().c_str(), 0700);
  const RuntimeDirectory other;
  std::filesystem::create_directory_symlink(other.directory.path(),
                                            runtime.directory.path() / "huddle");
  runtime.cache().keep("a", "1");
  CHECK_FALSE(runtime.cache().find("a", seconds(60)));
  for (const char* path : {"", "relative", "/no/such/directory"}) {
    const AnswerCache none(path);
    none.keep("a", "1");
    CHECK_FALSE(none.find("a", seconds(60)));
  }
}

TEST_CASE("what is too long is not kept, and what was cut is no answer") {
  const RuntimeDirectory runtime;
  runtime.cache().keep("a", std::string(70'000, 'x'));
  CHECK_FALSE(runtime.cache().find("a", seconds(60)));
  runtime.cache().keep("a", "1");
  for (const auto& entry : std::filesystem::directory_iterator(runtime.directory.path() / "huddle"))
    store::put_file(entry.path(), "");
  CHECK_FALSE(runtime.cache().find("a", seconds(60)));
}

}  // namespace
}  // namespace huddle::plugin
