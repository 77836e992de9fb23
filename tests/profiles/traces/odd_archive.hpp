#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace huddle::traces {

/// An archive written by OTF2 itself with what a test says, and as OTF2 does not check it: for what
/// other tools write, and should not. By default it has a clock of a tick a nanosecond.
class OddArchive {
 public:
  explicit OddArchive(const std::filesystem::path& folder);
  ~OddArchive();
  OddArchive(const OddArchive&) = delete;
  OddArchive& operator=(const OddArchive&) = delete;

  /// The writer of the events of this location; opened at the first call.
  OTF2_EvtWriter* events(std::uint64_t location);
  /// The writer of the definitions for all; to be called after all events were written.
  OTF2_GlobalDefWriter* definitions();

  /// Defines a text and returns its number.
  std::uint32_t text(const std::string& value);
  /// Processes 0 to `ranks` - 1 with one thread each, locations 0 to `ranks` - 1, MPI's list of
  /// them as group 0, a group of all as group 1, and MPI_COMM_WORLD as communicator 0.
  void define_ranks(std::uint32_t ranks);
  void define_location(std::uint64_t id, std::uint32_t process,
                       OTF2_LocationType type = OTF2_LOCATION_TYPE_CPU_THREAD);
  void define_process(std::uint32_t id,
                      OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_PROCESS);
  void define_group(std::uint32_t id, OTF2_GroupType type, OTF2_Paradigm paradigm,
                    const std::vector<std::uint64_t>& members,
                    std::uint32_t name = OTF2_UNDEFINED_STRING);
  /// `name`: of a text; undefined: of its own.
  void define_comm(std::uint32_t id, std::uint32_t group,
                   std::uint32_t name = OTF2_UNDEFINED_STRING);
  void define_region(std::uint32_t id, const std::string& name, OTF2_Paradigm paradigm,
                     OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION);

  /// Completes it and returns its anchor.
  std::filesystem::path finish();

 private:
  std::filesystem::path anchor_;
  OTF2_Archive* archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::vector<std::pair<std::uint64_t, OTF2_EvtWriter*>> writers_;
  std::uint32_t texts_ = 0;
};

}  // namespace huddle::traces
