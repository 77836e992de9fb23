#include "tests/profiles/traces/odd_archive.hpp"

#include <fmt/format.h>

namespace huddle::traces {

namespace {

OTF2_FlushCallbacks flush_callbacks() {
  OTF2_FlushCallbacks callbacks{};
  callbacks.otf2_pre_flush = [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FlushType{OTF2_FLUSH};
  };
  callbacks.otf2_post_flush = [](void*, OTF2_FileType, OTF2_LocationRef) {
    return OTF2_TimeStamp{0};
  };
  return callbacks;
}

}  // namespace

OddArchive::OddArchive(const std::filesystem::path& folder)
    : anchor_(folder / "traces.otf2"),
      archive_(OTF2_Archive_Open(
          folder.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {
  static const OTF2_FlushCallbacks flush = flush_callbacks();  // OTF2 keeps the address
  OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
  OTF2_Archive_OpenEvtFiles(archive_);
}

OddArchive::~OddArchive() {
  if (archive_ != nullptr) finish();
}

OTF2_EvtWriter* OddArchive::events(std::uint64_t location) {
  for (const auto& [id, writer] : writers_)
    if (id == location) return writer;
  return writers_.emplace_back(location, OTF2_Archive_GetEvtWriter(archive_, location)).second;
}

OTF2_GlobalDefWriter* OddArchive::definitions() {
  if (definitions_ != nullptr) return definitions_;
  for (const auto& [id, writer] : writers_) OTF2_Archive_CloseEvtWriter(archive_, writer);
  OTF2_Archive_CloseEvtFiles(archive_);
  OTF2_Archive_OpenDefFiles(archive_);
  for (const auto& [id, writer] : writers_)
    OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, id));
  OTF2_Archive_CloseDefFiles(archive_);
  definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
  OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, 0, 1000,
                                            OTF2_UNDEFINED_TIMESTAMP);
  return definitions_;
}

std::uint32_t OddArchive::text(const std::string& value) {
  OTF2_GlobalDefWriter_WriteString(definitions(), texts_, value.c_str());
  return texts_++;
}

void OddArchive::define_ranks(std::uint32_t ranks) {
  std::vector<std::uint64_t> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    define_process(rank);
    define_location(rank, rank);
    all.push_back(rank);
  }
  define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, all);
  define_group(1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, all);
  define_comm(0, 1);
}

void OddArchive::define_location(std::uint64_t id, std::uint32_t process, OTF2_LocationType type) {
  OTF2_GlobalDefWriter_WriteLocation(definitions(), id, text(fmt::format("location {}", id)), type,
                                     0, process);
}

void OddArchive::define_process(std::uint32_t id, OTF2_LocationGroupType type) {
  OTF2_GlobalDefWriter_WriteLocationGroup(definitions(), id, text(fmt::format("process {}", id)),
                                          type, OTF2_UNDEFINED_SYSTEM_TREE_NODE,
                                          OTF2_UNDEFINED_LOCATION_GROUP);
}

void OddArchive::define_group(std::uint32_t id, OTF2_GroupType type, OTF2_Paradigm paradigm,
                              const std::vector<std::uint64_t>& members, std::uint32_t name) {
  OTF2_GlobalDefWriter_WriteGroup(
      definitions(), id, name == OTF2_UNDEFINED_STRING ? text("") : name, type, paradigm,
      OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()), members.data());
}

void OddArchive::define_comm(std::uint32_t id, std::uint32_t group, std::uint32_t name) {
  if (name == OTF2_UNDEFINED_STRING) name = text(fmt::format("comm {}", id));
  OTF2_GlobalDefWriter_WriteComm(definitions(), id, name, group, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_NONE);
}

void OddArchive::define_region(std::uint32_t id, const std::string& name, OTF2_Paradigm paradigm,
                               OTF2_RegionRole role) {
  const std::uint32_t called = text(name);
  OTF2_GlobalDefWriter_WriteRegion(definitions(), id, called, called, called, role, paradigm,
                                   OTF2_REGION_FLAG_NONE, called, 0, 0);
}

std::filesystem::path OddArchive::finish() {
  OTF2_Archive_CloseGlobalDefWriter(archive_, definitions());
  OTF2_Archive_Close(archive_);
  archive_ = nullptr;
  return anchor_;
}

}  // namespace huddle::traces
