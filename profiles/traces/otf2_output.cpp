#include "profiles/traces/otf2_output.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "profiles/traces/otf2_errors.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

OTF2_FlushType flush_always(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                            void* /*writer*/, bool /*final*/) {
  return OTF2_FLUSH;
}

// No record of flushes: they disturb no measurement here.
constexpr OTF2_FlushCallbacks kFlush{flush_always, nullptr};

// One chunk for each writer, where OTF2 would keep up to 128 MiB: when it asks for a second one and
// gets none, it writes the first and asks again.
struct OneChunk {
  void* memory = nullptr;
  bool given = false;
};

void* give_chunk(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                 void** writers, std::uint64_t size) {
  auto* chunk = static_cast<OneChunk*>(*writers);
  if (chunk == nullptr) {
    chunk = new (std::nothrow) OneChunk;
    if (chunk == nullptr) return nullptr;
    *writers = chunk;
  }
  if (chunk->given) return nullptr;
  if (chunk->memory == nullptr) chunk->memory = std::malloc(size);
  chunk->given = chunk->memory != nullptr;
  return chunk->memory;
}

void take_chunk(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                void** writers, bool final) {
  auto* chunk = static_cast<OneChunk*>(*writers);
  if (chunk == nullptr) return;
  chunk->given = false;
  if (!final) return;
  std::free(chunk->memory);
  delete chunk;
  *writers = nullptr;
}

constexpr OTF2_MemoryCallbacks kMemory{give_chunk, take_chunk};

}  // namespace

Otf2Output::Otf2Output(std::filesystem::path folder, std::uint64_t largest_definition)
    : folder_(std::move(folder)) {
  keep_otf2_quiet();
  const std::uint64_t definitions = std::max(kLeastDefinitionChunk, largest_definition + 4096);
  if (definitions > kMostDefinitionChunk)
    throw Error(
        fmt::format("can't write the trace {}: OTF2 has no room for a definition of {} "
                    "bytes",
                    folder_.string(), largest_definition));
  archive_ = OTF2_Archive_Open(folder_.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                               definitions, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr)
    throw Error(fmt::format("can't write the trace {}: {}", folder_.string(), last_otf2_error()));
  try {
    check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    check(OTF2_Archive_SetMemoryCallbacks(archive_, &kMemory, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "Huddle"));
  } catch (...) {
    OTF2_Archive_Close(archive_);
    throw;
  }
}

Otf2Output::~Otf2Output() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

void Otf2Output::fail(OTF2_ErrorCode status) const {
  throw Error(fmt::format("can't write the trace {}: {}", folder_.string(),
                          OTF2_Error_GetDescription(status)));
}

OTF2_EvtWriter* Otf2Output::open_events(std::uint64_t location) {
  if (!std::exchange(events_open_, true)) check(OTF2_Archive_OpenEvtFiles(archive_));
  OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, location);
  if (writer == nullptr)
    throw Error(fmt::format("can't write the trace {}: {}", folder_.string(), last_otf2_error()));
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
  if (writer == nullptr)
    throw Error(fmt::format("can't write the trace {}: {}", folder_.string(), last_otf2_error()));
  check(OTF2_Archive_CloseDefWriter(archive_, writer));
  check(OTF2_Archive_CloseDefFiles(archive_));
}

OTF2_GlobalDefWriter* Otf2Output::definitions() {
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr)
    throw Error(fmt::format("can't write the trace {}: {}", folder_.string(), last_otf2_error()));
  return writer;
}

void Otf2Output::set_property(const std::string& name, const std::string& value) {
  check(OTF2_Archive_SetProperty(archive_, name.c_str(), value.c_str(), true));
}

void Otf2Output::close() {
  if (std::exchange(events_open_, false)) check(OTF2_Archive_CloseEvtFiles(archive_));
  check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
}

}  // namespace huddle
