#include "profiles/traces/read/detail/definitions.hpp"

#include <fmt/format.h>

#include "profiles/traces/read/detail/otf2_format.hpp"
#include "profiles/traces/read/detail/records.hpp"

namespace huddle::otf2 {
namespace {

constexpr std::uint8_t kSharedMemory = 1;   // OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY
constexpr std::uint8_t kGlobalMembers = 1;  // OTF2_GROUP_FLAG_GLOBAL_MEMBERS

class GlobalDefinitionReader {
 public:
  GlobalDefinitionReader(const std::filesystem::path& file, std::uint64_t chunk_bytes)
      : records_(file, chunk_bytes) {}

  GlobalDefinitions read() {
    while (records_.next()) {
      RecordFields fields = records_.fields();
      take(fields);
      if (!fields.sound())
        records_.fail(fmt::format("a definition of kind {} that is too short", records_.type()),
                      "all of its fields");
      ++out_.records;
    }
    return std::move(out_);
  }

 private:
  // Braces take fields in the order in which they are in the file.
  void take(RecordFields& fields) {
    switch (records_.type()) {
      case kClockProperties:
        return take_clock(fields);
      case kString: {
        const std::uint32_t id = fields.number32();
        out_.strings.emplace(id, fields.text());
        return;
      }
      case kSystemTreeNode:
        out_.nodes.push_back(
            {fields.number32(), fields.number32(), fields.number32(), fields.number32()});
        return;
      case kSystemTreeNodeDomain: {
        const std::uint32_t node = fields.number32();
        if (fields.byte() == kSharedMemory) out_.shared_memory_nodes.push_back(node);
        return;
      }
      case kLocationGroup:
        return take_location_group(fields);
      case kLocation:
        return take_location(fields);
      case kRegion:
        return take_region(fields);
      case kGroup:
        return take_group(fields);
      case kComm:
        out_.comms.push_back({fields.number32(), fields.number32(), fields.number32()});
        return;
      case kInterComm:
        out_.comms.push_back(
            {fields.number32(), fields.number32(), fields.number32(), fields.number32()});
        return;
      case kRmaWin:
        out_.windows.push_back({fields.number32(), fields.number32(), fields.number32()});
        return;
      case kIoHandle:
        return take_io_handle(fields);
      case kMetricMember:
        out_.metric_members.push_back({fields.number32(), fields.number32(), fields.number32()});
        return;
      case kMetricClass:
        return take_metric_class(fields);
      case kMetricInstance:
        return take_metric_instance(fields);
      case kCallingContext:
        return take_calling_context(fields);
      case kLocationProperty:
        out_.location_properties.push_back({fields.number(), fields.number32(), fields.number32()});
        return;
      default:
        return;  // of no use here
    }
  }

  void take_clock(RecordFields& fields) {
    out_.ticks_per_second = fields.number();
    out_.begin = fields.number();
    out_.duration = fields.number();
    if (out_.ticks_per_second == 0 && fields.sound())
      records_.fail("a clock of 0 ticks per second", "at least 1");
  }

  void take_location_group(RecordFields& fields) {
    GlobalDefinitions::LocationGroup group{};
    group.id = fields.number32();
    group.name = fields.number32();
    group.type = fields.byte();
    group.node = fields.number32();
    out_.location_groups.push_back(group);
  }

  void take_location(RecordFields& fields) {
    GlobalDefinitions::Location location{};
    location.id = fields.number();
    location.name = fields.number32();
    location.type = fields.byte();
    location.events = fields.number();
    location.group = fields.number32();
    out_.locations.push_back(location);
  }

  void take_region(RecordFields& fields) {
    GlobalDefinitions::Region region{};
    region.id = fields.number32();
    region.name = region.canonical_name = fields.number32();
    fields.number32();  // description
    const std::uint8_t type = fields.byte();
    region.file = fields.number32();
    region.line = fields.number32();
    fields.number32();  // last line
    if (fields.at_end()) {
      take_old_region_type(region, type);
    } else {
      region.canonical_name = fields.number32();
      region.role = fields.byte();
      region.paradigm = fields.byte();
    }
    out_.regions.push_back(region);
  }

  // OTF2 1.0 has one number for role and paradigm. MPI is recognised by names.
  static void take_old_region_type(GlobalDefinitions::Region& region, std::uint8_t type) {
    constexpr std::uint8_t kBarrierRole = 15;
    constexpr std::uint8_t kOldBarrier = 15, kOldImplicitBarrier = 16;
    if (type != kOldBarrier && type != kOldImplicitBarrier) return;
    region.paradigm = kOpenmpParadigm;
    region.role = kBarrierRole;
  }

  void take_group(RecordFields& fields) {
    GlobalDefinitions::Group group{};
    group.id = fields.number32();
    group.name = fields.number32();
    const std::uint8_t old_type = fields.byte();
    const std::uint32_t members = fields.number32();
    if (members > fields.left())  // each takes a byte at least
      records_.fail(fmt::format("a group of {} members", members),
                    fmt::format("at most the {} that fit into its record", fields.left()));
    group.members.reserve(members);
    for (std::uint32_t i = 0; i < members; ++i) group.members.push_back(fields.number());
    if (fields.at_end()) {  // OTF2 1.0 and 1.1: an MPI group, MPI's self, MPI's locations
      constexpr std::uint8_t kOldGroup = 4, kOldSelf = 5, kOldLocations = 6;
      group.paradigm = old_type >= kOldGroup ? kMpiParadigm : 0;
      group.type = old_type == kOldGroup       ? GroupType::kCommGroup
                   : old_type == kOldSelf      ? GroupType::kCommSelf
                   : old_type == kOldLocations ? GroupType::kCommLocations
                                               : GroupType{old_type};
    } else {
      group.type = GroupType{fields.byte()};
      group.paradigm = fields.byte();
      group.of_locations = (fields.number32() & kGlobalMembers) != 0;
    }
    group.of_locations = group.of_locations || group.type == GroupType::kCommLocations ||
                         group.type == GroupType::kLocations;
    out_.groups.push_back(std::move(group));
  }

  void take_io_handle(RecordFields& fields) {
    GlobalDefinitions::IoHandle handle{};
    handle.id = fields.number32();
    fields.number32();  // name
    fields.number32();  // file
    fields.byte();      // paradigm
    fields.number32();  // flags
    handle.comm = fields.number32();
    out_.io_handles.push_back(handle);
  }

  void take_metric_class(RecordFields& fields) {
    GlobalDefinitions::MetricClass metrics{fields.number32(), fields.byte(), kUndefined};
    if (metrics.members > 0) metrics.first_member = fields.number32();
    out_.metric_classes.push_back(metrics);
  }

  void take_metric_instance(RecordFields& fields) {
    GlobalDefinitions::MetricInstance instance{};
    instance.id = fields.number32();
    instance.metric_class = fields.number32();
    instance.recorder = fields.number();
    instance.scope_type = fields.byte();
    instance.scope = fields.number();
    out_.metric_instances.push_back(instance);
  }

  void take_calling_context(RecordFields& fields) {
    GlobalDefinitions::CallingContext context{};
    context.id = fields.number32();
    context.region = fields.number32();
    fields.number32();  // place in the source
    context.parent = fields.number32();
    out_.calling_contexts.push_back(context);
  }

  DefinitionRecords records_;
  GlobalDefinitions out_;
};

}  // namespace

const std::string& GlobalDefinitions::text(std::uint32_t id) const {
  static const std::string kNone;
  const auto found = strings.find(id);
  return found == strings.end() ? kNone : found->second;
}

GlobalDefinitions read_global_definitions(const std::filesystem::path& file,
                                          std::uint64_t chunk_bytes) {
  return GlobalDefinitionReader(file, chunk_bytes).read();
}

namespace {

void take_mapping(const DefinitionRecords& records, RecordFields& fields, LocalDefinitions& out) {
  constexpr std::uint8_t kDense = 0;
  const std::uint8_t kind = fields.byte();
  const std::uint64_t entries = fields.number();
  const bool dense = fields.byte() == kDense;
  if (entries > fields.left())  // each takes a byte at least
    records.fail(fmt::format("a mapping of {} numbers", entries),
                 fmt::format("at most the {} that fit into its record", fields.left()));
  if (kind >= LocalDefinitions::kKinds) return;
  auto& mapping = out.mappings[kind];
  mapping.reserve(mapping.size() + static_cast<std::size_t>(entries));
  for (std::uint64_t i = 0; i < entries && fields.sound(); ++i) {
    const std::uint64_t local = dense ? i : fields.number();
    mapping.emplace_back(local, fields.number());
  }
}

}  // namespace

LocalDefinitions read_local_definitions(const std::filesystem::path& file,
                                        std::uint64_t chunk_bytes) {
  LocalDefinitions out;
  DefinitionRecords records(file, chunk_bytes);
  while (records.next()) {
    RecordFields fields = records.fields();
    if (records.type() == kMappingTable) {
      take_mapping(records, fields, out);
    } else if (records.type() == kClockOffset) {
      const std::uint64_t time = fields.plain();
      out.clock_offsets.push_back({time, static_cast<std::int64_t>(fields.number())});
    }
    if (!fields.sound())
      records.fail(fmt::format("a definition of kind {} that is too short", records.type()),
                   "all of its fields");
  }
  return out;
}

}  // namespace huddle::otf2
