#include "aggregator/waitstates/sources/function_places.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "profiles/files/atomic_file.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

// The line that says that this function is there.
std::uint32_t line_of(const std::string& function) {
  std::ifstream source(HUDDLE_SAMPLE_SOURCE);
  std::uint32_t line = 1;
  for (std::string text; std::getline(source, text); ++line)
    if (text.ends_with("// here: " + function)) return line;
  return 0;
}

const std::set<std::string> kFunctions = {
    "sample::Solver::step(int)", "int sample::larger<int>(int, int)", "plain_function", "main"};

TEST_CASE("functions are where debug information says that they are declared") {
  std::set<std::string> names = kFunctions;
  names.insert("no_such_function");
  const auto places = function_places(HUDDLE_SAMPLE_PROGRAM, names);
  CHECK(places.size() == kFunctions.size());
  for (const std::string& name : kFunctions) {
    INFO(name);
    REQUIRE(places.contains(name));
    CHECK(places.at(name) == SourcePlace{HUDDLE_SAMPLE_SOURCE, line_of(name)});
  }
}

TEST_CASE("a name that stands for two functions has no place") {
  CHECK(function_places(HUDDLE_SAMPLE_PROGRAM, {"(anonymous namespace)::twice(int)"}).empty());
}

TEST_CASE("nothing is known of what has no debug information, and of what is no program") {
  const TemporaryDirectory directory;
  put_file(directory.path() / "text", "no ELF file");
  CHECK(function_places(directory.path() / "text", kFunctions).empty());
  CHECK(function_places(directory.path() / "gone", kFunctions).empty());
  CHECK(function_places(directory.path(), kFunctions).empty());
  CHECK(function_places("/dev/null", kFunctions).empty());
}

TEST_CASE("a program that was cut short, or damaged, gives fewer places and no crash") {
  const TemporaryDirectory directory;
  const std::string whole = read_file(HUDDLE_SAMPLE_PROGRAM, 1U << 30U);
  const std::filesystem::path file = directory.path() / "damaged";
  for (std::size_t part = 0; part < 64; ++part) {
    put_file(file, std::string_view(whole).substr(0, whole.size() * part / 64));
    CHECK(function_places(file, kFunctions).size() <= kFunctions.size());
    std::string other = whole;
    for (std::size_t at = part * 37; at < other.size(); at += 997) other[at] ^= 0x55;
    put_file(file, other);
    CHECK(function_places(file, kFunctions).size() <= kFunctions.size());
  }
}

}  // namespace
}  // namespace huddle
