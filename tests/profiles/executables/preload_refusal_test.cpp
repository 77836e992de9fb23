#include "profiles/executables/preload_refusal.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string>

#include "profiles/executables/elf_program.hpp"
#include "tests/profiles/executables/made_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::executables {
namespace {

class Programs {
 public:
  PreloadRefusal judge(const MadeProgram& program) { return judge(program.bytes()); }
  PreloadRefusal judge(const std::string& bytes, unsigned mode = 0755,
                       const std::string& name = "program") {
    std::filesystem::remove(path(name));
    write_program(path(name), bytes, mode);
    return refusal_of(path(name).c_str(), library.c_str());
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return folder.path() / name;
  }
  store::TemporaryDirectory folder;
  std::string library = "/proc/self/exe";  // of this machine, which is all that matters
};

}  // namespace

TEST_CASE("an ordinary program gets the library") {
  Programs programs;
  CHECK(programs.judge(MadeProgram{}) == PreloadRefusal::kNone);
  MadeProgram other_place;
  other_place.loader = "/nix/store/abc-glibc-2.38/lib/ld-linux-x86-64.so.2";
  CHECK(programs.judge(other_place) == PreloadRefusal::kNone);
  CHECK(refusal_of("/bin/sh", "/proc/self/exe") == PreloadRefusal::kNone);
}

TEST_CASE("a program that needs a sanitizer's runtime does not") {
  Programs programs;
  for (const char* runtime : {"libasan.so.8", "libtsan.so.2", "liblsan.so.0", "libhwasan.so.0",
                              "libclang_rt.asan-x86_64.so", "/opt/gcc/lib64/libasan.so.8"}) {
    CAPTURE(runtime);
    MadeProgram program;
    program.libraries = {"libm.so.6", runtime, "libc.so.6"};
    CHECK(programs.judge(program) == PreloadRefusal::kSanitizer);
  }
  MadeProgram harmless;  // may come in any order
  harmless.libraries = {"libubsan.so.1", "mylibasan.so", "libc.so.6"};
  CHECK(programs.judge(harmless) == PreloadRefusal::kNone);
}

TEST_CASE("nor does one that has the runtime linked in") {
  Programs programs;
  for (const char* symbol :
       {"__asan_init", "__tsan_init", "__msan_init", "__lsan_init", "__hwasan_init"}) {
    CAPTURE(symbol);
    MadeProgram exported;
    exported.symbols = {"main", symbol, "exit"};
    CHECK(programs.judge(exported) == PreloadRefusal::kSanitizer);
    MadeProgram local;
    local.local_symbols = {"main", symbol, "exit"};
    CHECK(programs.judge(local) == PreloadRefusal::kSanitizer);
  }
  MadeProgram user;  // asks for options that a runtime would read
  user.symbols = {"__asan_default_options", "__asan_initialise"};
  CHECK(programs.judge(user) == PreloadRefusal::kNone);
}

TEST_CASE("a name is found wherever in a long table it is") {
  Programs programs;
  for (std::size_t before = 8150; before < 8200; ++before) {
    CAPTURE(before);
    MadeProgram program;
    program.symbols = {std::string(before, 'x'), "__asan_init", std::string(20'000, 'y')};
    CHECK(programs.judge(program) == PreloadRefusal::kSanitizer);
  }
}

TEST_CASE("a static program, one of another machine and one of another C library do not") {
  Programs programs;
  MadeProgram program;
  program.loader = "";
  CHECK(programs.judge(program) == PreloadRefusal::kStatic);
  program = {};
  program.machine = EM_AVR;
  CHECK(programs.judge(program) == PreloadRefusal::kOtherMachine);
  program = {};
  program.word_size = ELFCLASS32;
  CHECK(programs.judge(program) == PreloadRefusal::kOtherMachine);
  program = {};
  program.loader = "/lib/ld-musl-x86_64.so.1";
  CHECK(programs.judge(program) == PreloadRefusal::kOtherLoader);
}

TEST_CASE("set-uid and set-gid programs do not") {
  Programs programs;
  const std::string bytes = MadeProgram{}.bytes();
  CHECK(programs.judge(bytes, 04755) == PreloadRefusal::kPrivileged);
  CHECK(programs.judge(bytes, 02755) == PreloadRefusal::kPrivileged);
  CHECK(programs.judge(bytes, 02745) == PreloadRefusal::kNone);  // mandatory locking, once
}

TEST_CASE("a script is judged by what interprets it") {
  Programs programs;
  MadeProgram sanitized;
  sanitized.libraries = {"libasan.so.8"};
  write_program(programs.path("checked"), sanitized.bytes());
  write_program(programs.path("plain"), MadeProgram{}.bytes());
  const auto script = [&](const std::string& line) { return programs.judge(line, 0755, "script"); };
  CHECK(script("#!" + programs.path("plain").string() + "\n") == PreloadRefusal::kNone);
  CHECK(script("#! \t" + programs.path("plain").string() + " -x -y\nexit\n") ==
        PreloadRefusal::kNone);
  CHECK(script("#!" + programs.path("checked").string()) == PreloadRefusal::kSanitizer);
  CHECK(script("#!/bin/no_such_interpreter\n") == PreloadRefusal::kUnreadable);
  CHECK(script("echo no first line\n") == refusal_of("/bin/sh", "/proc/self/exe"));
  CHECK(script("") == refusal_of("/bin/sh", "/proc/self/exe"));
  write_program(programs.path("loop"), "#!" + programs.path("loop").string() + "\n");
  CHECK(refusal_of(programs.path("loop").c_str(), "/proc/self/exe") == PreloadRefusal::kBroken);
}

TEST_CASE("what starts containers is known by its name") {
  Programs programs;
  CHECK(programs.judge(MadeProgram{}.bytes(), 0755, "apptainer") == PreloadRefusal::kContainer);
  CHECK(programs.judge("#!/bin/sh\n", 0755, "enroot") == PreloadRefusal::kContainer);
}

TEST_CASE("a container's user asks for the recorder by LD_PRELOAD, in the words of any runtime") {
  CHECK(starts_container("/usr/bin/podman"));
  CHECK_FALSE(starts_container("/opt/podman/solver"));
  CHECK(asks_for_recorder("LD_PRELOAD=/opt/huddle/libhuddle_recorder.so"));
  CHECK(asks_for_recorder("--env=LD_PRELOAD=/lib/malloc.so:/huddle/libhuddle_recorder_mpich.so"));
  CHECK_FALSE(asks_for_recorder("--env=LD_PRELOAD=/lib/malloc.so"));
  CHECK_FALSE(asks_for_recorder("--bind=/opt/huddle/libhuddle_recorder.so"));
}

TEST_CASE("what can't be read, or is cut off, does not") {
  Programs programs;
  CHECK(refusal_of("/no/such/program", "/proc/self/exe") == PreloadRefusal::kUnreadable);
  CHECK(refusal_of("/", "/proc/self/exe") == PreloadRefusal::kUnreadable);
  CHECK(refusal_of(programs.folder.path().c_str(), "/proc/self/exe") ==
        PreloadRefusal::kUnreadable);
  const std::string whole = MadeProgram{}.bytes();
  for (std::size_t size = 20; size < whole.size(); size += 7) {
    CAPTURE(size);
    CHECK(programs.judge(whole.substr(0, size)) != PreloadRefusal::kOtherMachine);
  }
  CHECK(programs.judge(whole.substr(0, 100)) == PreloadRefusal::kBroken);
  CHECK(programs.judge(MadeProgram{}) == PreloadRefusal::kNone);
  programs.library = "/no/such/library.so";
  CHECK(programs.judge(MadeProgram{}) == PreloadRefusal::kOtherMachine);
}

TEST_CASE("each refusal has words of its own") {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(PreloadRefusal::kContainer); ++i)
    words.insert(reason_of(static_cast<PreloadRefusal>(i)));
  CHECK(words.size() == static_cast<std::size_t>(PreloadRefusal::kContainer) + 1);
}

TEST_CASE("a user's own LD_PRELOAD is searched for runtimes") {
  CHECK(holds_sanitizer_runtime("/usr/lib/libasan.so.8"));
  CHECK(holds_sanitizer_runtime("a.so:/usr/lib/libtsan.so.2 b.so"));
  CHECK_FALSE(holds_sanitizer_runtime(""));
  CHECK_FALSE(holds_sanitizer_runtime("/usr/lib/libtcmalloc.so:libubsan.so.1"));
}

TEST_CASE("programs are found as execvp finds them") {
  Programs programs;
  const std::string folder = programs.folder.path();
  write_program(programs.path("tool"), "#!/bin/sh\n");
  write_program(programs.path("data"), "no program\n", 0644);
  std::filesystem::create_directory(programs.path("directory"));
  std::array<char, 4096> found{};
  const auto find = [&](const std::string& command, const std::string& path) {
    return find_program(command, path, found) ? std::string(found.data()) : "";
  };
  CHECK(find("tool", "/nowhere:" + folder + ":/bin") == folder + "/tool");
  CHECK(find("data", folder) == "");
  CHECK(find("directory", folder) == "");
  CHECK(find("./tool", "/nowhere") == "./tool");
  CHECK(find("/a/b", "") == "/a/b");
  CHECK(find("", folder) == "");
  CHECK(find(std::string(5000, 'x'), folder) == "");
  std::array<char, 3> small{};
  CHECK_FALSE(find_program("tool", folder, small));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(programs.folder.path());
  CHECK(find("tool", "/nowhere:") == "./tool");
  std::filesystem::current_path(before);
}

}  // namespace huddle::executables
