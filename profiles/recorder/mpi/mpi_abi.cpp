#include "profiles/recorder/mpi/mpi_abi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace huddle::recorder {
namespace {

template <typename Function>
Function* function_in(void* scope, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(scope, name));  // NOLINT: what dlsym is for
}

std::string version_in(void* scope) {
  return version_of(function_in<int(char*, int*)>(scope, "PMPI_Get_library_version"));
}

// A library that has functions of the standard interface beside its own answers -1.
bool has_standard_abi(void* scope) {
  auto* const version = function_in<int(int*, int*)>(scope, "PMPI_Abi_get_version");
  int major = -1;
  int minor = -1;
  return version != nullptr && version(&major, &minor) == 0 && major == 1;
}

// MPICH 4.0 to 5.0 show the function; those who build on MPICH may hide it, and name themselves.
bool is_of_mpichs_family(void* scope) {
  if (::dlsym(scope, "MPII_Comm_get_attr") != nullptr) return true;
  const std::string version = version_in(scope);
  constexpr std::array<std::string_view, 3> kNames = {"MPICH", "MVAPICH", "Intel(R) MPI"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return version.find(name) != std::string::npos;
  });
}

int add_path(dl_phdr_info* object, std::size_t /*size*/, void* argument) {
  const std::string_view path(object->dlpi_name == nullptr ? "" : object->dlpi_name);
  const bool is_recorder = path.substr(path.rfind('/') + 1).starts_with("libhuddle_recorder");
  if (path.starts_with('/') && !is_recorder)
    static_cast<std::vector<std::string>*>(argument)->emplace_back(path);
  return 0;
}

// A tool or a library for numbers has MPI's functions too, if asked: those of what it is linked
// with.
bool has_mpi_itself(void* library, const std::string& path) {
  void* const init = ::dlsym(library, "PMPI_Init");
  Dl_info home{};
  return init != nullptr && ::dladdr(init, &home) != 0 && path == home.dli_fname;
}

// Libraries are asked once the list is complete, since the loader holds its lock before.
template <typename Predicate>
std::string first_loaded(Predicate is_sought) {
  std::vector<std::string> paths;
  ::dl_iterate_phdr(add_path, &paths);
  for (std::string& path : paths) {
    void* const library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    const bool found = has_mpi_itself(library, path) && is_sought(library);
    ::dlclose(library);  // the program holds it, too
    if (found) return std::move(path);
  }
  return {};
}

}  // namespace

std::optional<MpiAbi> abi_in(void* scope) {
  if (has_standard_abi(scope)) return MpiAbi::kStandard;
  if (::dlsym(scope, "ompi_mpi_comm_world") != nullptr) return MpiAbi::kOpenMpi;
  if (is_of_mpichs_family(scope)) return MpiAbi::kMpich;
  return std::nullopt;
}

std::string version_of(int (*get_library_version)(char*, int*)) {
  constexpr std::size_t kLongest = 200;
  std::array<char, 8192> text{};  // the most that any library asks for: MPICH
  int length = 0;
  if (get_library_version == nullptr || get_library_version(text.data(), &length) != 0) return {};
  const std::string_view whole(text.data());
  return std::string(whole.substr(0, std::min(whole.find('\n'), kLongest)));
}

std::string loaded_library_of(MpiAbi abi) {
  return first_loaded([abi](void* library) { return abi_in(library) == abi; });
}

std::string describe_loaded_mpi() {
  std::string version;
  const std::string path = first_loaded([&](void* library) {
    version = version_in(library);
    return true;
  });
  if (version.empty()) return path;
  return version + (has_standard_abi(RTLD_DEFAULT) ? ", MPI's standard ABI (" : " (") + path + ")";
}

}  // namespace huddle::recorder
