#include "profiles/traces/symbols/function_names.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <link.h>

#include <array>
#include <cstring>
#include <random>

#include "tests/profiles/store/temporary_directory.hpp"

// Seen by the linker, and not put into its callers.
namespace sample {
[[gnu::noinline]] int named_function(int value) {
  asm volatile("" : "+r"(value));
  return value + 1;
}
}  // namespace sample
extern "C" [[gnu::noinline]] int plain_function(int value) {
  asm volatile("" : "+r"(value));
  return value + 2;
}

namespace huddle::traces {
namespace {

const std::filesystem::path kThisProgram = std::filesystem::read_symlink("/proc/self/exe");

std::uint64_t in_file(const void* function) {
  Dl_info info{};
  link_map* map = nullptr;
  REQUIRE(::dladdr1(function, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0);
  return reinterpret_cast<std::uint64_t>(function) - map->l_addr;
}

}  // namespace

TEST_CASE("functions of C++ and C are named as in their source") {
  CHECK(sample::named_function(1) + plain_function(1) == 5);
  const std::array addresses{in_file(reinterpret_cast<const void*>(&plain_function)) + 1,
                             in_file(reinterpret_cast<const void*>(&sample::named_function))};
  const auto names = function_names(kThisProgram, addresses);
  REQUIRE(names.size() == 2);
  CHECK(names[0] == "plain_function");
  CHECK(names[1] == "sample::named_function(int)");
}

TEST_CASE("where there is no name, a function is the program and a place in it") {
  const std::array<std::uint64_t, 2> addresses{0x10, ~std::uint64_t{0}};
  const auto names = function_names(kThisProgram, addresses);
  CHECK(names[0] == kThisProgram.filename().string() + "+0x10");
  CHECK(names[1] == kThisProgram.filename().string() + "+0xffffffffffffffff");
  CHECK(function_names("/no/such/libsolver.so", addresses)[0] == "libsolver.so+0x10");
  CHECK(function_names("/dev/null", addresses)[0] == "null+0x10");
  CHECK(function_names("/", addresses).size() == 2);
}

TEST_CASE("a library without .symtab is known by what it exports") {
  const void* const function = ::dlsym(RTLD_DEFAULT, "a64l");
  Dl_info info{};
  REQUIRE(::dladdr(function, &info) != 0);
  const std::array addresses{in_file(function) + 2};
  CHECK(function_names(info.dli_fname, addresses)[0] == "a64l");
}

TEST_CASE("names are readable") {
  CHECK(readable_function("main") == "main");
  CHECK(readable_function("_ZN4heat4stepEv") == "heat::step()");
  CHECK(readable_function("_ZN4heat4stepEv.constprop.0") == "heat::step()");
  CHECK(readable_function("_Zbroken") == "_Zbroken");
  CHECK(readable_function("exchange_") == "exchange");
  CHECK(readable_function("__heat_MOD_step") == "heat::step");
  CHECK(readable_function("MAIN__") == "MAIN");
  CHECK(readable_function("inner.4123") == "inner");
  CHECK(readable_function("step.isra.3.cold") == "step");
  CHECK(readable_function("step._omp_fn.1") == "step._omp_fn.1");
  CHECK(readable_function("__libc_start") == "__libc_start");
  CHECK(readable_function("_") == "_");
  CHECK(readable_function("") == "");
  CHECK(readable_function(std::string(100'000, 'x')).size() < 600);
  CHECK(readable_function("bad\nname") == "bad?name");
}

TEST_CASE("a file that is cut or changed anywhere gives names or none, and no crash") {
  const store::TemporaryDirectory directory;
  const auto file = directory.path() / "program";
  // A small one of a linker's kind.
  std::string whole = store::get_file("/usr/bin/true");
  REQUIRE(whole.size() > 64);
  const std::array<std::uint64_t, 3> addresses{0, 0x2000, 0x4000};
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::string changed = whole;
    const auto any = [&](std::size_t below) {
      return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    if (round % 4 == 0) changed.resize(any(changed.size()));
    for (int i = 0; i < 4 && !changed.empty(); ++i) {
      // Most of what says where things are is in the first and the last bytes.
      const std::size_t end = std::min<std::size_t>(2000, changed.size());
      const std::size_t place = round % 2 == 0 ? any(end) : changed.size() - 1 - any(end);
      changed[place] = static_cast<char>(any(256));
    }
    store::put_file(file, changed);
    CHECK(function_names(file, addresses).size() == 3);
  }
}

}  // namespace huddle::traces
