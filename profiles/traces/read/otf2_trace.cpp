// open_otf2(): an archive's anchor, its definitions, and streams of events.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "profiles/traces/read/detail/definitions.hpp"
#include "profiles/traces/read/detail/otf2_event_stream.hpp"
#include "profiles/traces/read/detail/otf2_format.hpp"
#include "profiles/traces/read/detail/power_events.hpp"
#include "profiles/traces/read/detail/record_fields.hpp"
#include "profiles/traces/read/detail/record_window.hpp"
#include "profiles/traces/read/detail/resolved_trace.hpp"
#include "profiles/traces/trace.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::otf2 {
namespace {

/// The contents of an archive's anchor file.
struct Anchor {
  std::uint64_t event_chunk_bytes = 0;
  std::uint64_t definition_chunk_bytes = 0;
  std::uint64_t locations = 0;
  std::uint64_t definitions = 0;
  std::string program;               ///< of Huddle's writer
  std::string build_id;              ///< the same
  std::vector<std::string> remarks;  ///< the same, for people
};

/// Throws SystemError, and FormatError for a file that is none or is of a kind that can't be read
/// here.
Anchor read_anchor(const std::filesystem::path& file);

/// `path` itself if it is a file, or the only anchor in that folder. Throws SystemError, and
/// FormatError for a folder with none or with several.
std::filesystem::path find_anchor(const std::filesystem::path& path);

constexpr std::size_t kMostAnchorBytes = 1 << 20;
constexpr std::uint8_t kPlainFiles = 1;  // OTF2_SUBSTRATE_POSIX
constexpr std::uint8_t kCompressionNone = 1;

// OTF2's own limits.
constexpr std::uint64_t kLeastChunk = 256 * 1024;
constexpr std::uint64_t kMostChunk = 16 * 1024 * 1024;

std::uint64_t chunk_bytes(RecordFields& fields, const RecordWindow& window) {
  const std::uint64_t bytes = fields.plain();
  if (bytes < kLeastChunk || bytes > kMostChunk)
    window.fail(fmt::format("chunks of {} bytes", bytes),
                fmt::format("{} to {}", kLeastChunk, kMostChunk));
  return bytes;
}

void take_properties(RecordFields& fields, Anchor& anchor) {
  constexpr std::size_t kLongest = 300;
  const std::uint32_t properties = fields.plain32();
  for (std::uint32_t i = 0; i < properties && fields.sound(); ++i) {
    const std::string_view name = fields.text();
    const std::string_view value = fields.text();
    if (name == "HUDDLE::PROGRAM") anchor.program = value;
    if (name == "HUDDLE::BUILD_ID") anchor.build_id = value;
    if (name.starts_with("HUDDLE::REMARK_")) anchor.remarks.push_back(shortened(value, kLongest));
  }
}

Anchor read_anchor(const std::filesystem::path& file) {
  RecordWindow window(file);
  if (window.size() > kMostAnchorBytes)
    window.fail(fmt::format("{} bytes", window.size()), "an anchor file of OTF2, which is small");
  window.ensure(static_cast<std::size_t>(window.size()));
  constexpr std::array<std::uint8_t, 5> kMagic = {'O', 'T', 'F', '2', 0};
  const std::uint8_t* begin = window.data();
  if (window.available() < 2 + kMagic.size() || begin[0] != kChunkHeader ||
      (begin[1] != kLittleEndian && begin[1] != kBigEndian) ||
      std::memcmp(begin + 2, kMagic.data(), kMagic.size()) != 0)
    window.fail("something else", "the anchor file of an OTF2 archive");

  RecordFields fields(begin + 2 + kMagic.size(), begin + window.available(),
                      begin[1] == kBigEndian);
  for (int i = 0; i < 5; ++i) fields.byte();  // versions of the format and of the library
  Anchor anchor;
  anchor.event_chunk_bytes = chunk_bytes(fields, window);
  anchor.definition_chunk_bytes = chunk_bytes(fields, window);
  if (const std::uint8_t substrate = fields.byte(); substrate != kPlainFiles)
    window.fail(fmt::format("file substrate {}", substrate),
                "plain files (1); archives in SIONlib's files are not read");
  if (const std::uint8_t compression = fields.byte(); compression > kCompressionNone)
    window.fail(fmt::format("compression {}", compression), "none (1)");
  anchor.locations = fields.plain();
  anchor.definitions = fields.plain();
  for (int i = 0; i < 3; ++i) fields.text();  // machine, program that wrote it, description
  take_properties(fields, anchor);
  if (!fields.sound()) window.fail("the end of the file", "a whole anchor file of OTF2");
  return anchor;
}

std::filesystem::path find_anchor(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  std::filesystem::path found;
  std::filesystem::directory_iterator entries(path, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (entries->path().extension() != ".otf2") continue;
    if (!found.empty())
      throw FormatError(
          path.string(), "the folder",
          fmt::format("{} and {}", found.filename().string(), entries->path().filename().string()),
          "one archive; name the file that is meant");
    found = entries->path();
  }
  if (error) throw SystemError("read", path.string(), error.value());
  if (found.empty())
    throw FormatError(path.string(), "the folder", "no file that ends in .otf2",
                      "an OTF2 archive (traces.otf2, traces.def and the folder traces)");
  return found;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

class MissingEvents : public traces::EventStream {
 public:
  explicit MissingEvents(std::string remark) : remark_(std::move(remark)) {}
  std::size_t read(std::span<traces::Event>) override { return 0; }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    return remark_.empty() ? std::vector<std::string>{} : std::vector{remark_};
  }

 private:
  std::string remark_;
};

class Otf2Trace : public traces::Trace {
 public:
  explicit Otf2Trace(const std::filesystem::path& anchor_file) : anchor_(read_anchor(anchor_file)) {
    // traces.otf2, traces.def, and traces/0.def, traces/0.evt, ...
    folder_ = anchor_file;
    folder_.replace_extension();
    std::filesystem::path definitions = anchor_file;
    definitions.replace_extension(".def");
    const GlobalDefinitions raw =
        read_global_definitions(definitions, anchor_.definition_chunk_bytes);
    if (raw.records < anchor_.definitions)
      throw FormatError(definitions.string(), "the file",
                        fmt::format("{} definitions", raw.records),
                        fmt::format("the {} that the anchor file declares", anchor_.definitions));
    trace_ = resolve(raw, definitions.string());
    trace_.definitions.program = anchor_.program;
    trace_.definitions.build_id = anchor_.build_id;
    std::vector<std::string>& remarks = trace_.definitions.remarks;
    remarks.insert(remarks.begin(), anchor_.remarks.begin(), anchor_.remarks.end());
    look_for_files();
  }

  [[nodiscard]] const traces::TraceDefinitions& definitions() const override {
    return trace_.definitions;
  }

  std::unique_ptr<traces::EventStream> events_of(std::uint32_t location) override {
    if (location >= trace_.location_ids.size())
      throw Error(fmt::format("{}: there is no location {}: there are {}", folder_.string(),
                              location, trace_.location_ids.size()));
    const std::filesystem::path events = file_of(location, ".evt");
    const std::uint64_t declared = trace_.definitions.locations[location].events;
    if (!is_there(events))
      return std::make_unique<MissingEvents>(
          declared == 0
              ? ""
              : fmt::format("{} is missing: {} events are left out.", events.string(), declared));
    return std::make_unique<Otf2EventStream>(trace_, location, local_definitions(location), events,
                                             anchor_.event_chunk_bytes, budget_);
  }

  std::vector<traces::TracePower> power() override {
    std::vector<traces::TracePower> power;
    for (const PowerMetric& metric : trace_.power)
      power.push_back({metric.node, metric.sensor, metric.rank, {}});
    std::set<std::uint64_t> read;
    std::size_t left = kMostPowerSamples;
    for (const PowerMetric& metric : trace_.power) {
      const std::filesystem::path file = folder_ / fmt::format("{}.evt", metric.location);
      if (read.insert(metric.location).second && is_there(file))
        read_power(trace_, metric.location, EventRecords(file, anchor_.event_chunk_bytes, budget_),
                   left, power);
    }
    return power;
  }

 private:
  [[nodiscard]] LocalDefinitions local_definitions(std::uint32_t location) const {
    const std::filesystem::path definitions = file_of(location, ".def");
    if (!is_there(definitions)) return {};
    return read_local_definitions(definitions, anchor_.definition_chunk_bytes);
  }

  [[nodiscard]] std::filesystem::path file_of(std::uint32_t location,
                                              std::string_view extension) const {
    return folder_ / fmt::format("{}{}", trace_.location_ids[location], extension);
  }

  // A copy of an archive often lacks its folder.
  void look_for_files() {
    std::uint64_t without_events = 0;
    std::uint64_t without_definitions = 0;
    const auto locations = static_cast<std::uint32_t>(trace_.location_ids.size());
    for (std::uint32_t location = 0; location < locations; ++location) {
      if (!is_there(file_of(location, ".evt"))) ++without_events;
      if (!is_there(file_of(location, ".def"))) ++without_definitions;
    }
    if (without_events == locations)
      throw FormatError(folder_.string(), "the folder", "no file of events",
                        fmt::format("{} and the like: an archive is a folder beside its two files",
                                    file_of(0, ".evt").filename().string()));
    std::vector<std::string>& remarks = trace_.definitions.remarks;
    if (without_events > 0)
      remarks.push_back(
          fmt::format("{} of {} locations have no file of events.", without_events, locations));
    // Archives may do without these: numbers are then the same everywhere.
    if (without_definitions > 0 && without_definitions < locations)
      remarks.push_back(fmt::format(
          "{} of {} locations have no file of definitions: clock offsets of theirs are not known.",
          without_definitions, locations));
  }

  Anchor anchor_;
  std::filesystem::path folder_;
  ResolvedTrace trace_;
  std::shared_ptr<DescriptorBudget> budget_ = std::make_shared<DescriptorBudget>();
};

}  // namespace

}  // namespace huddle::otf2

namespace huddle::traces {

std::unique_ptr<traces::Trace> open_otf2(const std::filesystem::path& path) {
  return std::make_unique<otf2::Otf2Trace>(otf2::find_anchor(path));
}

}  // namespace huddle::traces
