#include "profiles/recorder/mpi/mpi_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "profiles/recorder/process/messages.hpp"

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

void* find_in_library(const char* name) {
  void* library = ::dlopen(kSoname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = ::dlsym(library, name);
  ::dlclose(library);  // the program holds it, too
  return found;
}

// `scope`, else a library that the program loaded for itself only (an interpreter's module does
// that).
void* find_symbol(void* scope, const char* name) {
  void* found = ::dlsym(scope, name);
  return found != nullptr ? found : find_in_library(name);
}

// The recorders of all MPI libraries are preloaded together, since nobody knows in advance which
// library a script will start a program of.
bool is_a_recorders(const void* function) {
  Dl_info info{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view path(info.dli_fname);
  return path.substr(path.rfind('/') + 1).starts_with("libhuddle_recorder");
}

}  // namespace

// In a program of this recorder's library the next recorder is passed by: it would take handles for
// what they are not. In any other program the next one is asked, for it may be that library's.
void* find_real(const char* name) noexcept {
  void* found = find_symbol(RTLD_NEXT, name);
  if (found != nullptr && is_the_programs_library() && is_a_recorders(found))
    found = find_in_library(name);
  return found != nullptr ? found : reinterpret_cast<void*>(&missing_function);
}

bool another_recorder_follows() noexcept {
  const void* next = ::dlsym(RTLD_NEXT, "PMPI_Init");
  return next != nullptr && is_a_recorders(next);
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
  static const auto kByte = predefined<MPI_Datatype>("ompi_mpi_byte");
  return kByte;
}

MPI_Errhandler errors_return() noexcept {
  return predefined<MPI_Errhandler>("ompi_mpi_errors_return");
}

MPI_Op no_op() noexcept {
  static const auto kNoOp = predefined<MPI_Op>("ompi_mpi_op_no_op");
  return kNoOp;
}

MPI_Op bit_or() noexcept {
  return predefined<MPI_Op>("ompi_mpi_op_bor");
}

MPI_Info no_info() noexcept {
  return predefined<MPI_Info>("ompi_mpi_info_null");
}

MPI_Comm self_communicator() noexcept {
  return predefined<MPI_Comm>("ompi_mpi_comm_self");
}

MPI_Comm no_communicator() noexcept {
  static const auto kNone = predefined<MPI_Comm>("ompi_mpi_comm_null");
  return kNone;
}

MPI_Win no_window() noexcept {
  return predefined<MPI_Win>("ompi_mpi_win_null");
}

MPI_Message message_of_nobody() noexcept {
  static const auto kNobodys = predefined<MPI_Message>("ompi_message_no_proc");
  return kNobodys;
}

MPI_Request no_request() noexcept {
  static const auto kNone = predefined<MPI_Request>("ompi_request_null");
  return kNone;
}

#else

bool is_the_programs_library() noexcept {
  return find_symbol(RTLD_DEFAULT, "MPII_Comm_get_attr") != nullptr;
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

MPI_Op no_op() noexcept {
  return MPI_NO_OP;
}

MPI_Op bit_or() noexcept {
  return MPI_BOR;
}

MPI_Info no_info() noexcept {
  return MPI_INFO_NULL;
}

MPI_Comm self_communicator() noexcept {
  return MPI_COMM_SELF;
}

MPI_Comm no_communicator() noexcept {
  return MPI_COMM_NULL;
}

MPI_Win no_window() noexcept {
  return MPI_WIN_NULL;
}

MPI_Message message_of_nobody() noexcept {
  return MPI_MESSAGE_NO_PROC;
}

MPI_Request no_request() noexcept {
  return MPI_REQUEST_NULL;
}

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
