#include "profiles/recorder/mpi_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "profiles/recorder/messages.hpp"

namespace huddle::recorder {
namespace {

int missing_function() {
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    say("the program calls MPI, but no MPI library is loaded where the recorder can find it");
  return MPI_ERR_INTERN;
}

#if defined(OPEN_MPI)
constexpr const char* kSoname = "libmpi.so.40";
#else
constexpr const char* kSoname = "libmpich.so.12";
#endif

// `scope`, else a library that the program loaded for itself only (an interpreter's module does
// that).
void* find_symbol(void* scope, const char* name) {
  if (void* found = ::dlsym(scope, name); found != nullptr) return found;
  void* library = ::dlopen(kSoname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = ::dlsym(library, name);
  ::dlclose(library);  // the program holds it, too
  return found;
}

}  // namespace

void* find_real(const char* name) noexcept {
  void* found = find_symbol(RTLD_NEXT, name);
  return found != nullptr ? found : reinterpret_cast<void*>(&missing_function);
}

#if defined(OPEN_MPI)

namespace {

// Open MPI's predefined handles are the addresses of its global objects; a program that is not
// position-independent has its own copies of them, in front of the library's.
template <class Handle>
Handle predefined(const char* symbol) {
  return static_cast<Handle>(find_symbol(RTLD_DEFAULT, symbol));
}

}  // namespace

bool is_the_programs_library() noexcept {
  return find_symbol(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr;
}

MPI_Comm world_communicator() noexcept {
  static const auto kWorld = predefined<MPI_Comm>("ompi_mpi_comm_world");
  return kWorld;
}

MPI_Datatype byte_datatype() noexcept {
  return predefined<MPI_Datatype>("ompi_mpi_byte");
}

MPI_Errhandler errors_return() noexcept {
  return predefined<MPI_Errhandler>("ompi_mpi_errors_return");
}

namespace {

MPI_Comm no_communicator() noexcept {
  return predefined<MPI_Comm>("ompi_mpi_comm_null");
}

}  // namespace

#else

bool is_the_programs_library() noexcept {
  return find_symbol(RTLD_DEFAULT, "MPIR_Err_create_code") != nullptr;
}

MPI_Comm world_communicator() noexcept {
  return MPI_COMM_WORLD;
}

MPI_Datatype byte_datatype() noexcept {
  return MPI_BYTE;
}

MPI_Errhandler errors_return() noexcept {
  return MPI_ERRORS_RETURN;
}

namespace {

MPI_Comm no_communicator() noexcept {
  return MPI_COMM_NULL;
}

}  // namespace

#endif

bool was_spawned() noexcept {
  MPI_Comm parent = no_communicator();
  return HUDDLE_REAL(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != no_communicator();
}

std::string library_version() {
  static constexpr std::size_t kLongest = 200;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (HUDDLE_REAL(Get_library_version)(text.data(), &length) != MPI_SUCCESS) return {};
  const std::string_view whole(text.data());
  return std::string(whole.substr(0, std::min(whole.find('\n'), kLongest)));
}

}  // namespace huddle::recorder
