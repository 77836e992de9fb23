#include "profiles/traces/read/local_definitions.hpp"

#include <fmt/format.h>

#include "profiles/traces/read/definition_records.hpp"
#include "profiles/traces/otf2_format.hpp"

namespace huddle::otf2 {

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
