#include "profiles/recorder/mpi/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "profiles/recorder/mpi/mpi_abi.hpp"
#include "profiles/recorder/process/this_process.hpp"

// For the recorders of other MPI libraries. A call in tail position would look for what is behind
// the caller.
void* huddle_behind_recorder(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  __asm__("" : "+r"(found));
  return found;
}

namespace huddle::recorder {
namespace {

int missing_function() {
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    say("the program calls MPI, but no MPI library is loaded where the recorder can find it");
  return MPI_ERR_INTERN;
}

#if defined(OPEN_MPI)
constexpr MpiAbi kAbi = MpiAbi::kOpenMpi;
#elif defined(MPICH_NUMVERSION)
constexpr MpiAbi kAbi = MpiAbi::kMpich;
#else
static_assert(MPI_ABI_VERSION == 1);
constexpr MpiAbi kAbi = MpiAbi::kStandard;
#endif

// The program calls MPI by now, so what it has loaded it keeps.
void* find_in_library(const char* name) {
  static const auto& path = *new std::string(loaded_library_of(kAbi));
  if (path.empty()) return nullptr;
  void* library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = ::dlsym(library, name);
  ::dlclose(library);  // the program holds it, too
  return found;
}

// `scope`, else a library that the program loaded for itself only (see loaded_library_of()).
void* find_symbol(void* scope, const char* name) {
  void* found = ::dlsym(scope, name);
  return found != nullptr ? found : find_in_library(name);
}

// The recorders of all MPI libraries are preloaded together, since nobody knows in advance which of
// the libraries a script's programs use. Another one than this: where it is, and what finds
// functions behind it.
struct OtherRecorder {
  std::string_view path;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  decltype(&huddle_behind_recorder) find_behind = nullptr;

  [[nodiscard]] bool has(const void* function) const {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    return address >= begin && address < end;
  }
};

class OtherRecorders {
 public:
  OtherRecorders() {
    ::dl_iterate_phdr(look, this);
    for (std::size_t i = 0; i < count_; ++i) find_its_function(all_[i]);
  }
  // That which has `function`; null if none has.
  [[nodiscard]] const OtherRecorder* that_has(const void* function) const {
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto found = std::find_if(
        all_.begin(), end, [&](const OtherRecorder& other) { return other.has(function); });
    return found == end ? nullptr : &*found;
  }

 private:
  static int look(dl_phdr_info* object, std::size_t /*size*/, void* argument) {
    auto& list = *static_cast<OtherRecorders*>(argument);
    const std::string_view path(object->dlpi_name == nullptr ? "" : object->dlpi_name);
    if (!path.substr(path.rfind('/') + 1).starts_with("libhuddle_recorder")) return 0;
    OtherRecorder other{path, UINTPTR_MAX, 0, nullptr};
    for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      other.begin = std::min<std::uintptr_t>(other.begin, object->dlpi_addr + part.p_vaddr);
      other.end =
          std::max<std::uintptr_t>(other.end, object->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    const bool is_this = other.has(reinterpret_cast<const void*>(&missing_function));
    if (!is_this && list.count_ < list.all_.size()) list.all_[list.count_++] = other;
    return 0;
  }

  // One of an older release has none.
  static void find_its_function(OtherRecorder& other) {
    void* const handle = ::dlopen(other.path.data(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return;
    void* const found = ::dlsym(handle, "huddle_behind_recorder");
    ::dlclose(handle);  // the process holds it, too
    if (found != nullptr && other.has(found))
      other.find_behind = reinterpret_cast<decltype(&huddle_behind_recorder)>(found);
  }

  std::array<OtherRecorder, 4> all_{};
  std::size_t count_ = 0;
};

// They are preloaded, and there as long as the process.
const OtherRecorder* recorder_that_has(const void* function) {
  static const OtherRecorders kAll;
  return kAll.that_has(function);
}

// The function of that name that would be called if this recorder were not there. In a program of
// this recorder's library other recorders are passed over: they would misinterpret handles. In any
// other program the next one is called, for that library may be its own.
void* next_in_line(const char* name) {
  void* found = find_symbol(RTLD_NEXT, name);
  const OtherRecorder* other = recorder_that_has(found);
  if (other == nullptr || !is_the_programs_library()) return found;
  for (; other != nullptr; other = recorder_that_has(found))
    found = other->find_behind == nullptr ? nullptr : other->find_behind(name);
  return found != nullptr ? found : find_in_library(name);
}

}  // namespace

void* find_real(const char* name) noexcept {
  void* const found = next_in_line(name);
  return found != nullptr ? found : reinterpret_cast<void*>(&missing_function);
}

// In most libraries both names are one function.
void* find_tool(const char* name) noexcept {
  void* const found = next_in_line(name + 1);
  const bool is_librarys =
      found == nullptr || found == next_in_line(name) || found == find_in_library(name + 1);
  return is_librarys ? nullptr : found;
}

std::array<void*, 3> find_called(const char* name) noexcept {
  return {::dlsym(RTLD_NEXT, name), next_in_line(name), find_in_library(name)};
}

bool another_recorder_follows() noexcept {
  const void* next = ::dlsym(RTLD_NEXT, "PMPI_Init");
  return recorder_that_has(next) != nullptr;
}

// Open MPI's predefined handles are the addresses of its global objects; a program that is not
// position-independent has its own copies of them, in front of the library's.
#if defined(OPEN_MPI)
#define HUDDLE_PREDEFINED(Handle, name, constant, symbol)                               \
  Handle name() noexcept {                                                              \
    static const auto kHandle = static_cast<Handle>(find_symbol(RTLD_DEFAULT, symbol)); \
    return kHandle;                                                                     \
  }
#else
#define HUDDLE_PREDEFINED(Handle, name, constant, symbol) \
  Handle name() noexcept {                                \
    return constant;                                      \
  }
#endif

bool is_the_programs_library() noexcept {
  static const bool kIs = [] {
    const std::optional<MpiAbi> abi = abi_in(RTLD_DEFAULT);
    return abi ? *abi == kAbi : !loaded_library_of(kAbi).empty();
  }();
  return kIs;
}

bool is_used_past_recorder() noexcept {
  int initialized = 0;
  return is_the_programs_library() && HUDDLE_REAL(Initialized)(&initialized) == MPI_SUCCESS &&
         initialized != 0;
}

HUDDLE_PREDEFINED(MPI_Comm, world_communicator, MPI_COMM_WORLD, "ompi_mpi_comm_world")
HUDDLE_PREDEFINED(MPI_Comm, self_communicator, MPI_COMM_SELF, "ompi_mpi_comm_self")
HUDDLE_PREDEFINED(MPI_Comm, no_communicator, MPI_COMM_NULL, "ompi_mpi_comm_null")
HUDDLE_PREDEFINED(MPI_Request, no_request, MPI_REQUEST_NULL, "ompi_request_null")
HUDDLE_PREDEFINED(MPI_Win, no_window, MPI_WIN_NULL, "ompi_mpi_win_null")
HUDDLE_PREDEFINED(MPI_Message, message_of_nobody, MPI_MESSAGE_NO_PROC, "ompi_message_no_proc")
HUDDLE_PREDEFINED(MPI_Datatype, no_datatype, MPI_DATATYPE_NULL, "ompi_mpi_datatype_null")
HUDDLE_PREDEFINED(MPI_Datatype, byte_datatype, MPI_BYTE, "ompi_mpi_byte")
HUDDLE_PREDEFINED(MPI_Errhandler, errors_return, MPI_ERRORS_RETURN, "ompi_mpi_errors_return")
HUDDLE_PREDEFINED(MPI_Op, no_op, MPI_NO_OP, "ompi_mpi_op_no_op")
HUDDLE_PREDEFINED(MPI_Op, bit_or, MPI_BOR, "ompi_mpi_op_bor")
HUDDLE_PREDEFINED(MPI_Datatype, double_datatype, MPI_DOUBLE, "ompi_mpi_double")
HUDDLE_PREDEFINED(MPI_Op, maximum, MPI_MAX, "ompi_mpi_op_max")
HUDDLE_PREDEFINED(MPI_Op, sum, MPI_SUM, "ompi_mpi_op_sum")
HUDDLE_PREDEFINED(MPI_Info, no_info, MPI_INFO_NULL, "ompi_mpi_info_null")

bool was_spawned() noexcept {
  MPI_Comm parent = no_communicator();
  return HUDDLE_REAL(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != no_communicator();
}

std::string library_version() {
  return version_of(HUDDLE_REAL(Get_library_version));
}

}  // namespace huddle::recorder
