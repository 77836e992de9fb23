#include <dlfcn.h>
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "profiles/recorder/mpi/mpi_abi.hpp"
#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {
namespace {

#if defined(OPEN_MPI)
constexpr MpiAbi kOwn = MpiAbi::kOpenMpi;
constexpr MpiAbi kOther = MpiAbi::kMpich;
#elif defined(MPICH_NUMVERSION)
constexpr MpiAbi kOwn = MpiAbi::kMpich;
constexpr MpiAbi kOther = MpiAbi::kStandard;
#else
constexpr MpiAbi kOwn = MpiAbi::kStandard;
constexpr MpiAbi kOther = MpiAbi::kOpenMpi;
#endif

TEST_CASE("the library is known by what it has, and where it is") {
  CHECK((abi_in(RTLD_DEFAULT) == kOwn));
  CHECK_FALSE(loaded_library_of(kOwn).empty());
  CHECK(loaded_library_of(kOther).empty());
}

TEST_CASE("a library without MPI has no interface of MPI") {
  void* const library = ::dlopen("libm.so.6", RTLD_LAZY);
  REQUIRE((library != nullptr));
  CHECK((abi_in(library) == std::nullopt));
}

TEST_CASE("a loaded library is described by its own words and its path") {
  const std::string described = describe_loaded_mpi();
  CHECK(described.starts_with(library_version()));
  CHECK(described.find("(/") != std::string::npos);
  CHECK(described.ends_with(")"));
}

TEST_CASE("MPI that this process initialized counts as used") {
  CHECK(is_used_past_recorder());
}

}  // namespace
}  // namespace huddle::recorder
