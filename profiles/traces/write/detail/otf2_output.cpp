#include "profiles/traces/write/detail/otf2_output.hpp"

#include <fmt/format.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "profiles/traces/detail/otf2_library.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {
namespace {

/// OTF2 writes its errors to stderr by itself; from now on they are kept for last_otf2_error(), of
/// each thread apart, and what was kept is forgotten. Any thread may call it any number of times.
void keep_otf2_errors();

/// Why OTF2 failed last in this thread, for people: the system's error if there was one.
std::string last_otf2_error();

thread_local OTF2_ErrorCode from_system = OTF2_SUCCESS;
thread_local OTF2_ErrorCode last = OTF2_SUCCESS;

// OTF2 calls this on each level that an error passes; outer ones know less.
OTF2_ErrorCode keep(void* /*data*/, const char* /*file*/, std::uint64_t /*line*/,
                    const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                    std::va_list /*arguments*/) {
  if (code >= OTF2_ERROR_E2BIG && code <= OTF2_ERROR_EXDEV) from_system = code;
  last = code;
  return code;
}

void keep_otf2_errors() {
  static const OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep, nullptr);
  static_cast<void>(before);
  from_system = last = OTF2_SUCCESS;
}

std::string last_otf2_error() {
  const OTF2_ErrorCode code = from_system == OTF2_SUCCESS ? last : from_system;
  return code == OTF2_SUCCESS ? "OTF2 gives no reason" : OTF2_Error_GetDescription(code);
}

std::filesystem::path file_of(OTF2_FileType type, OTF2_LocationRef location) {
  if (type == OTF2_FILETYPE_GLOBAL_DEFS) return "traces.def";
  return std::filesystem::path("traces") /
         fmt::format("{}.{}", location, type == OTF2_FILETYPE_EVENTS ? "evt" : "def");
}

// The part of a chunk that is used: behind it OTF2 writes zeros, and its last byte is none.
std::uint64_t used_bytes(const std::byte* chunk, std::uint64_t size) {
  while (size > 0 && chunk[size - 1] == std::byte{0}) --size;
  return size;
}

}  // namespace

struct Otf2Output::Chunk {
  std::unique_ptr<std::byte[]> memory;
  std::uint64_t size = 0;
  std::uint64_t written = 0;
  bool given = false;
};

OTF2_FlushType Otf2Output::before_flush(void* output, OTF2_FileType /*type*/,
                                        OTF2_LocationRef /*location*/, void* /*writer*/,
                                        bool final) {
  static_cast<Otf2Output*>(output)->final_flush_ = final;
  return OTF2_FLUSH;
}

// One chunk for each writer, where OTF2 would keep up to 128 MiB: when it asks for a second one and
// gets none, it writes the first and asks again.
void* Otf2Output::give_chunk(void* /*output*/, OTF2_FileType /*type*/,
                             OTF2_LocationRef /*location*/, void** chunk, std::uint64_t size) try {
  if (*chunk == nullptr) *chunk = new Chunk;
  Chunk& own = *static_cast<Chunk*>(*chunk);
  if (own.given) return nullptr;
  if (!own.memory) own.memory = std::make_unique<std::byte[]>(size);
  own.size = size;
  own.given = true;
  return own.memory.get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Otf2Output::take_chunk(void* output, OTF2_FileType type, OTF2_LocationRef location,
                            void** chunk, bool final) try {
  if (*chunk == nullptr) return;
  auto& self = *static_cast<Otf2Output*>(output);
  Chunk& own = *static_cast<Chunk*>(*chunk);
  if (own.given && !final)
    own.written += self.final_flush_ ? used_bytes(own.memory.get(), own.size) : own.size;
  own.given = false;
  if (!final) return;
  const std::unique_ptr<Chunk> last(&own);
  *chunk = nullptr;
  if (type == OTF2_FILETYPE_EVENTS || type == OTF2_FILETYPE_LOCAL_DEFS ||
      type == OTF2_FILETYPE_GLOBAL_DEFS)
    self.sizes_.emplace_back(file_of(type, location), own.written);
} catch (const std::bad_alloc&) {
  static_cast<Otf2Output*>(output)->broken_ = true;
}

Otf2Output::Otf2Output(std::filesystem::path folder, std::uint64_t largest_definition)
    : folder_(std::move(folder)) {
  load_otf2();
  keep_otf2_errors();
  const std::uint64_t definitions = std::max(kLeastDefinitionChunk, largest_definition + 4096);
  if (definitions > kMostDefinitionChunk)
    throw Error(
        fmt::format("can't write the trace {}: OTF2 has no room for a definition of {} "
                    "bytes",
                    folder_.string(), largest_definition));
  archive_ = OTF2_Archive_Open(folder_.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                               definitions, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) fail();
  // No record of flushes: they disturb no measurement here.
  static constexpr OTF2_FlushCallbacks kFlush{before_flush, nullptr};
  static constexpr OTF2_MemoryCallbacks kMemory{give_chunk, take_chunk};
  try {
    check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, this));
    check(OTF2_Archive_SetMemoryCallbacks(archive_, &kMemory, this));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "Huddle"));
  } catch (...) {
    OTF2_Archive_Close(archive_);
    throw;
  }
}

Otf2Output::~Otf2Output() {
  if (archive_ != nullptr && !broken_) OTF2_Archive_Close(archive_);
}

void Otf2Output::fail() const {
  broken_ = true;
  throw Error(fmt::format("can't write the trace {}: {}", folder_.string(), last_otf2_error()));
}

OTF2_EvtWriter* Otf2Output::open_events(std::uint64_t location) {
  if (!std::exchange(events_open_, true)) check(OTF2_Archive_OpenEvtFiles(archive_));
  OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, location);
  if (writer == nullptr) fail();
  return writer;
}

std::uint64_t Otf2Output::close_events(OTF2_EvtWriter* writer) {
  std::uint64_t events = 0;
  check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
  check(OTF2_Archive_CloseEvtWriter(archive_, writer));
  return events;
}

void Otf2Output::write_no_local_definitions(std::uint64_t location) {
  check(OTF2_Archive_OpenDefFiles(archive_));
  OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, location);
  if (writer == nullptr) fail();
  check(OTF2_Archive_CloseDefWriter(archive_, writer));
  check(OTF2_Archive_CloseDefFiles(archive_));
}

OTF2_GlobalDefWriter* Otf2Output::definitions() {
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) fail();
  return writer;
}

void Otf2Output::set_property(const std::string& name, const std::string& value) {
  check(OTF2_Archive_SetProperty(archive_, name.c_str(), value.c_str(), true));
}

void Otf2Output::close() {
  if (std::exchange(events_open_, false)) check(OTF2_Archive_CloseEvtFiles(archive_));
  check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
  check_sizes();
}

void Otf2Output::check_sizes() const {
  for (const auto& [name, size] : sizes_) {
    std::error_code error;
    const std::uintmax_t found = std::filesystem::file_size(folder_ / name, error);
    if (error) throw SystemError("write", (folder_ / name).string(), error.value());
    if (found != size)
      throw Error(
          fmt::format("can't write the trace {}: of {}'s {} bytes only {} are there: the "
                      "disk is full, or files may not be that large",
                      folder_.string(), name.string(), size, found));
  }
  if (broken_) throw Error(fmt::format("can't write the trace {}: no memory", folder_.string()));
}

}  // namespace huddle::traces
