#include "tests/profiles/traces/mapped_archive.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <array>
#include <random>
#include <vector>

namespace huddle::traces {

namespace {

constexpr std::uint32_t kRegions = 6;       // of each location, counted from 0
constexpr std::uint32_t kFirstRegion = 70;  // in the definitions for all
constexpr std::uint32_t kFirstComm = 400;
constexpr std::uint64_t kBegin = 1'000'000;

OTF2_FlushCallbacks flush_callbacks() {
  OTF2_FlushCallbacks callbacks{};
  callbacks.otf2_pre_flush = [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FlushType{OTF2_FLUSH};
  };
  callbacks.otf2_post_flush = [](void*, OTF2_FileType, OTF2_LocationRef) {
    return OTF2_TimeStamp{kBegin};
  };
  return callbacks;
}

class EventMix {
 public:
  EventMix(OTF2_EvtWriter* writer, unsigned seed) : writer_(writer), random_(seed) {}

  void write(int steps) {
    for (int step = 0; step < steps; ++step) {
      if (below(3) > 0) time_ += below(1U << below(20));
      write_one(below(16));
    }
    while (!nesting_.empty()) leave();
  }

 private:
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_() % std::max(bound, 1U));
  }
  std::uint64_t any_size() { return random_() >> below(64); }

  void leave() {
    OTF2_EvtWriter_Leave(writer_, nullptr, time_, nesting_.back());
    nesting_.pop_back();
  }

  void write_one(std::uint32_t which) {
    const std::uint32_t comm = below(2);
    const std::uint32_t peer = below(2);
    const auto tag = static_cast<std::uint32_t>(any_size());
    OTF2_AttributeList* attributes = nullptr;
    if (below(8) == 0) {
      attributes = OTF2_AttributeList_New();
      for (std::uint32_t i = 0; i < below(40); ++i)
        OTF2_AttributeList_AddUint64(attributes, i, any_size());
    }
    if (which < 4 && nesting_.size() < 30) {
      nesting_.push_back(below(kRegions));
      OTF2_EvtWriter_Enter(writer_, attributes, time_, nesting_.back());
    } else if (which < 8 && !nesting_.empty()) {
      leave();
    } else if (which == 8) {
      OTF2_EvtWriter_MpiSend(writer_, attributes, time_, peer, comm, tag, any_size());
    } else if (which == 9) {
      OTF2_EvtWriter_MpiRecv(writer_, attributes, time_, peer, comm, tag, any_size());
    } else if (which == 10) {
      OTF2_EvtWriter_MpiIsend(writer_, attributes, time_, peer, comm, tag, any_size(), ++request_);
      OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, time_, request_);
    } else if (which == 11) {
      OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time_, ++request_);
      OTF2_EvtWriter_MpiIrecv(writer_, attributes, time_, peer, comm, tag, any_size(), request_);
    } else if (which == 12) {
      write_collective(comm, peer);
    } else {
      write_of_no_use(attributes);
    }
    if (attributes != nullptr) OTF2_AttributeList_Delete(attributes);
  }

  void write_collective(std::uint32_t comm, std::uint32_t peer) {
    OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, time_);
    OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, time_, OTF2_COLLECTIVE_OP_ALLREDUCE, comm,
                                    OTF2_UNDEFINED_UINT32, any_size(), any_size());
    OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, time_, ++request_);
    OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, time_, OTF2_COLLECTIVE_OP_BCAST,
                                                 comm, peer, any_size(), any_size(), request_);
  }

  void write_of_no_use(OTF2_AttributeList* attributes) {
    std::array<OTF2_Type, 60> types{};
    std::array<OTF2_MetricValue, 60> values{};
    types.fill(OTF2_TYPE_UINT64);
    for (OTF2_MetricValue& value : values) value.unsigned_int = any_size();
    switch (below(7)) {
      case 0:
        OTF2_EvtWriter_Metric(writer_, attributes, time_, 0, 60, types.data(), values.data());
        break;
      case 1:
        OTF2_EvtWriter_OmpFork(writer_, attributes, time_, OTF2_UNDEFINED_UINT32);
        break;
      case 2:
        OTF2_EvtWriter_OmpTaskCreate(writer_, attributes, time_, UINT64_MAX);
        break;
      case 3:
        OTF2_EvtWriter_ThreadFork(writer_, attributes, time_, OTF2_PARADIGM_OPENMP, below(300));
        break;
      case 4:
        OTF2_EvtWriter_ParameterInt(writer_, attributes, time_, 0, -1);
        break;
      case 5:
        OTF2_EvtWriter_ProgramEnd(writer_, attributes, time_, 0);
        break;
      default:
        OTF2_EvtWriter_IoSeek(writer_, attributes, time_, 0, -5, OTF2_IO_SEEK_FROM_END, 7);
    }
  }

  OTF2_EvtWriter* writer_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> nesting_;
  std::uint64_t time_ = kBegin;
  std::uint64_t request_ = 0;
};

void write_local_definitions(OTF2_DefWriter* writer, std::uint64_t location) {
  // The first location's regions are mapped to themselves in reverse, the second one's by pairs.
  OTF2_IdMap* regions =
      OTF2_IdMap_Create(location == 0 ? OTF2_ID_MAP_DENSE : OTF2_ID_MAP_SPARSE, kRegions);
  for (std::uint32_t i = 0; i < kRegions; ++i)
    OTF2_IdMap_AddIdPair(regions, i, kFirstRegion + kRegions - 1 - i);
  OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, regions);
  OTF2_IdMap_Free(regions);
  OTF2_IdMap* comms = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, 2);
  OTF2_IdMap_AddIdPair(comms, 0, kFirstComm + location);
  OTF2_IdMap_AddIdPair(comms, 1, kFirstComm + 1 - location);
  OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_COMM, comms);
  OTF2_IdMap_Free(comms);
  if (location == 0) return;
  OTF2_DefWriter_WriteClockOffset(writer, kBegin + 100, 1500, 1.0);
  OTF2_DefWriter_WriteClockOffset(writer, kBegin + 100'000, -2500, 1.0);
  OTF2_DefWriter_WriteClockOffset(writer, kBegin + 3'000'000, 0, 1.0);
}

void write_global_definitions(OTF2_GlobalDefWriter* writer) {
  std::uint32_t string = 0;
  const auto text = [&](const std::string& value) {
    OTF2_GlobalDefWriter_WriteString(writer, string, value.c_str());
    return string++;
  };
  OTF2_GlobalDefWriter_WriteClockProperties(writer, 1'000'000'000, kBegin - 10'000, 1'000'000,
                                            OTF2_UNDEFINED_TIMESTAMP);
  const std::uint32_t none = text("");
  OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, text("n0"), text("node"),
                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, text(fmt::format("rank {}", rank)),
                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(writer, rank, none, OTF2_LOCATION_TYPE_CPU_THREAD, 0, rank);
  }
  const std::array<std::uint64_t, 2> straight{0, 1};
  const std::array<std::uint64_t, 2> swapped{1, 0};
  OTF2_GlobalDefWriter_WriteGroup(writer, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                  OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, straight.data());
  OTF2_GlobalDefWriter_WriteGroup(writer, 1, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, straight.data());
  OTF2_GlobalDefWriter_WriteGroup(writer, 2, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_GLOBAL_MEMBERS, 2, swapped.data());
  OTF2_GlobalDefWriter_WriteComm(writer, kFirstComm, text("straight"), 1, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteComm(writer, kFirstComm + 1, text("swapped"), 2, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_NONE);
  for (std::uint32_t i = 0; i < kRegions; ++i)
    OTF2_GlobalDefWriter_WriteRegion(writer, kFirstRegion + i, text(fmt::format("region {}", i)),
                                     none, none, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
                                     OTF2_REGION_FLAG_NONE, none, 1, 2);
}

}  // namespace

std::filesystem::path write_mapped_archive(const std::filesystem::path& folder, unsigned seed,
                                           int events) {
  constexpr std::uint64_t kChunk = 256 * 1024;
  OTF2_Archive* archive = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kChunk,
                                            kChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  static const OTF2_FlushCallbacks flush = flush_callbacks();  // OTF2 keeps the address
  OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  for (std::uint64_t location = 0; location < 2; ++location) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location);
    EventMix(writer, seed + static_cast<unsigned>(location)).write(events);
    OTF2_Archive_CloseEvtWriter(archive, writer);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_OpenDefFiles(archive);
  for (std::uint64_t location = 0; location < 2; ++location) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location);
    write_local_definitions(writer, location);
    OTF2_Archive_CloseDefWriter(archive, writer);
  }
  OTF2_Archive_CloseDefFiles(archive);
  OTF2_GlobalDefWriter* definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  write_global_definitions(definitions);
  OTF2_Archive_CloseGlobalDefWriter(archive, definitions);
  OTF2_Archive_Close(archive);
  return folder / "traces.otf2";
}

}  // namespace huddle::traces
