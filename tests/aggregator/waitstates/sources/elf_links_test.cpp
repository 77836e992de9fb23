#include "aggregator/waitstates/sources/elf_links.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "aggregator/waitstates/sources/function_places.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/files/atomic_file.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

// objcopy WORDS, in a folder.
void objcopy(const fs::path& folder, const std::string& words) {
  const std::string command =
      fmt::format("cd '{}' && {} {}", folder.string(), HUDDLE_OBJCOPY, words);
  REQUIRE(std::system(command.c_str()) == 0);
}

// `program` without debug information, and program.debug with it.
void split_into(const fs::path& folder, const std::string& link) {
  fs::copy_file(HUDDLE_SAMPLE_PROGRAM, folder / "whole");
  objcopy(folder, "--only-keep-debug whole program.debug");
  objcopy(folder, "--strip-debug " + link + " whole program");
  fs::remove(folder / "whole");
}

bool knows_main(const fs::path& program, const fs::path& folder) {
  return function_places(program, {"main"}, folder).size() == 1;
}

}  // namespace

TEST_CASE("debug information of its own is found by the build id") {
  const TemporaryDirectory directory;
  split_into(directory.path(), "");
  const fs::path program = directory.path() / "program";
  CHECK_FALSE(knows_main(program, directory.path()));
  const std::string id = build_id_of_file(program.string());
  REQUIRE(id.size() > 4);
  const fs::path folder = directory.path() / ".build-id" / id.substr(0, 2);
  fs::create_directories(folder);
  const fs::path debug = folder / (id.substr(2) + ".debug");
  fs::copy_file(directory.path() / "program.debug", debug);
  CHECK(split_debug_file(program, directory.path()) == debug);
  CHECK(knows_main(program, directory.path()));
  // What has another build id there is no match.
  put_file(debug, "something else");
  CHECK(split_debug_file(program, directory.path()).empty());
}

TEST_CASE("debug information of its own is found by name and checksum") {
  const TemporaryDirectory directory;
  split_into(directory.path(),
             "--remove-section=.note.gnu.build-id --add-gnu-debuglink=program.debug");
  const fs::path program = directory.path() / "program";
  const fs::path debug = directory.path() / "program.debug";
  const fs::path nowhere = directory.path() / "nowhere";
  CHECK(knows_main(program, nowhere));
  SUBCASE("in .debug") {
    fs::create_directory(directory.path() / ".debug");
    fs::rename(debug, directory.path() / ".debug/program.debug");
    CHECK(knows_main(program, nowhere));
  }
  SUBCASE("below the folder for debug information") {
    const fs::path folder = directory.path() / "usr" / directory.path().relative_path();
    fs::create_directories(folder);
    fs::rename(debug, folder / "program.debug");
    CHECK_FALSE(knows_main(program, nowhere));
    CHECK(knows_main(program, directory.path() / "usr"));
  }
  SUBCASE("not with another checksum") {
    put_file(debug, read_file(debug, 1U << 30U) + "x");
    CHECK(split_debug_file(program, nowhere).empty());
  }
}

TEST_CASE("what is no ELF file links to nothing") {
  const TemporaryDirectory directory;
  put_file(directory.path() / "text", "no ELF file");
  CHECK(split_debug_file(directory.path() / "text").empty());
  CHECK(split_debug_file(directory.path()).empty());
  CHECK(libraries_of_program(directory.path() / "text").empty());
  // The system's libraries are not those of a program.
  CHECK(libraries_of_program(HUDDLE_SAMPLE_PROGRAM).empty());
}

TEST_CASE("a damaged ELF file gives fewer links and no crash") {
  const TemporaryDirectory directory;
  const std::string whole = read_file(HUDDLE_SAMPLE_PROGRAM, 1U << 30U);
  const fs::path file = directory.path() / "damaged";
  for (std::size_t part = 0; part < 64; ++part) {
    std::string other = whole;
    for (std::size_t at = part * 37; at < other.size(); at += 997) other[at] ^= 0x55;
    put_file(file, std::string_view(other).substr(0, other.size() * (part + 1) / 64));
    CHECK(split_debug_file(file, directory.path()).empty());
    CHECK(libraries_of_program(file).empty());
  }
}

}  // namespace huddle
