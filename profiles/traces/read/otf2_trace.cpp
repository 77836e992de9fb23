// open_otf2(): an archive's anchor, its definitions, and streams of events.

#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "profiles/traces/read/archive_anchor.hpp"
#include "profiles/traces/read/global_definitions.hpp"
#include "profiles/traces/read/local_definitions.hpp"
#include "profiles/traces/read/otf2_event_stream.hpp"
#include "profiles/traces/read/resolved_trace.hpp"
#include "profiles/traces/trace.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

namespace otf2 {

namespace {

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

class MissingEvents : public EventStream {
 public:
  explicit MissingEvents(std::string remark) : remark_(std::move(remark)) {}
  std::size_t read(std::span<Event>) override { return 0; }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    return remark_.empty() ? std::vector<std::string>{} : std::vector{remark_};
  }

 private:
  std::string remark_;
};

class Otf2Trace : public Trace {
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
                        fmt::format("the {} that the anchor file tells of", anchor_.definitions));
    trace_ = resolve(raw, definitions.string());
    std::vector<std::string>& remarks = trace_.definitions.remarks;
    remarks.insert(remarks.begin(), anchor_.remarks.begin(), anchor_.remarks.end());
    look_for_files();
  }

  [[nodiscard]] const TraceDefinitions& definitions() const override { return trace_.definitions; }

  std::unique_ptr<EventStream> events_of(std::uint32_t location) override {
    if (location >= trace_.location_ids.size())
      throw Error(fmt::format("{}: there is no location {}: there are {}", folder_.string(),
                              location, trace_.location_ids.size()));
    const std::filesystem::path events = file_of(location, ".evt");
    const std::uint64_t told = trace_.definitions.locations[location].events;
    if (!is_there(events))
      return std::make_unique<MissingEvents>(
          told == 0 ? ""
                    : fmt::format("{} is missing: {} events are left out.", events.string(), told));
    LocalDefinitions local;
    const std::filesystem::path definitions = file_of(location, ".def");
    if (is_there(definitions))
      local = read_local_definitions(definitions, anchor_.definition_chunk_bytes);
    return std::make_unique<Otf2EventStream>(trace_, location, std::move(local), events,
                                             anchor_.event_chunk_bytes, budget_);
  }

 private:
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

}  // namespace otf2

std::unique_ptr<Trace> open_otf2(const std::filesystem::path& path) {
  return std::make_unique<otf2::Otf2Trace>(otf2::find_anchor(path));
}

}  // namespace huddle
