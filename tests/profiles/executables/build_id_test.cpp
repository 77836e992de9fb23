#include "profiles/executables/build_id.hpp"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/profiles/executables/made_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::executables {
namespace {

std::string note(std::uint32_t type, const std::string& name, const std::string& description) {
  const Elf64_Nhdr header{static_cast<Elf64_Word>(name.size()),
                          static_cast<Elf64_Word>(description.size()), type};
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  for (const std::string& part : {name, description}) {
    bytes += part;
    bytes.resize((bytes.size() + 3) / 4 * 4);
  }
  return bytes;
}

const std::string kGnu("GNU\0", 4);

TEST_CASE("the build id is found among other notes") {
  const std::string id("\x01\xab\xff", 3);
  CHECK(build_id_in_notes(note(NT_GNU_ABI_TAG, kGnu, "1234") + note(NT_GNU_BUILD_ID, "Go", "no") +
                          note(NT_GNU_BUILD_ID, kGnu, id)) == "01abff");
  CHECK(build_id_in_notes(note(NT_GNU_ABI_TAG, kGnu, "1234")).empty());
  CHECK(build_id_in_notes("").empty());
}

TEST_CASE("a note that is longer than its segment holds no build id") {
  const std::string whole = note(NT_GNU_BUILD_ID, kGnu, "12345678");
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(build_id_in_notes(std::string_view(whole).substr(0, size)).empty());
  std::string huge = whole;
  const std::uint32_t most = 0xffffffff;
  std::memcpy(huge.data() + sizeof most, &most, sizeof most);  // n_descsz
  CHECK(build_id_in_notes(huge).empty());
}

TEST_CASE("a program's build id is the one that its file has, and a file without one has none") {
  CHECK(build_id_of_file("/proc/self/exe").size() == 40);
  const store::TemporaryDirectory scratch;
  const auto path = scratch.path() / "program";
  write_program(path, MadeProgram{}.bytes());
  CHECK(build_id_of_file(path).empty());
  for (const char* text : {"", "#!/bin/sh\n", "\177ELF"}) {
    write_program(scratch.path() / "other", text);
    CHECK(build_id_of_file(scratch.path() / "other").empty());
  }
  CHECK(build_id_of_file(scratch.path() / "missing").empty());
  CHECK(build_id_of_file(scratch.path()).empty());
}

TEST_CASE("a pipe in the place of a program is not waited for") {
  const store::TemporaryDirectory scratch;
  const auto pipe = scratch.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(build_id_of_file(pipe).empty());
}

}  // namespace
}  // namespace huddle::executables
