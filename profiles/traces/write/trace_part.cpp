#include "profiles/traces/write/trace_part.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <utility>

#include "profiles/traces/write/location_writer.hpp"
#include "profiles/traces/write/otf2_output.hpp"
#include "profiles/traces/otf2_references.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// OTF2 wants to make an archive's folder itself, for one process. So each part is an archive of its
// own, and its files are moved.
std::filesystem::path own_folder(const std::filesystem::path& folder, const TraceDefinitions& own) {
  if (own.locations.empty()) throw Error("a part of a trace needs a location");
  return folder / fmt::format("part-{}", location_reference(own.locations[0]));
}

void make_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directory(path, error);
  if (error) throw SystemError("create", path.string(), error.value());
}

}  // namespace

class TracePart::Files {
 public:
  Files(const std::filesystem::path& folder, TraceDefinitions own, TraceNumbers numbers)
      : folder_(folder),
        own_folder_(own_folder(folder, own)),
        tables_(std::move(own), std::move(numbers)) {
    make_folder(own_folder_);
    output_.emplace(own_folder_);
    for (std::uint32_t i = 0; i < tables_.own().locations.size(); ++i) {
      const auto [where, is_new] =
          by_reference_.emplace(location_reference(tables_.own().locations[i]), i);
      if (!is_new)
        throw Error(fmt::format("locations {} and {} of a trace are both thread {} of rank {}",
                                where->second, i, tables_.own().locations[i].thread,
                                tables_.own().locations[i].rank));
    }
    writers_.resize(tables_.own().locations.size());
  }

  ~Files() {
    writers_.clear();
    output_.reset();
    remove_own_folder();
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void write(std::uint32_t location, std::span<const Event> events) {
    if (location >= writers_.size())
      throw Error(fmt::format("can't write events of location {}: only {} are defined", location,
                              writers_.size()));
    writer(location).write(events);
  }

  std::vector<std::uint64_t> finish() {
    std::vector<std::uint64_t> events;
    for (std::uint32_t i = 0; i < writers_.size(); ++i) {
      events.push_back(writer(i).finish());
      output_->write_no_local_definitions(location_reference(tables_.own().locations[i]));
    }
    output_->close();
    move_files();
    remove_own_folder();
    return events;
  }

 private:
  LocationWriter& writer(std::uint32_t location) {
    auto& writer = writers_[location];
    if (!writer) writer = std::make_unique<LocationWriter>(*output_, tables_, location);
    return *writer;
  }

  void remove_own_folder() const {
    std::error_code ignored;
    std::filesystem::remove_all(own_folder_, ignored);
  }

  void move_files() const {
    std::error_code error;
    std::filesystem::create_directory(folder_ / "traces", error);  // it may be there
    for (const auto& [reference, index] : by_reference_)
      for (const char* ending : {"evt", "def"}) {
        const std::string name = fmt::format("{}.{}", reference, ending);
        std::filesystem::rename(own_folder_ / "traces" / name, folder_ / "traces" / name, error);
        if (error) throw SystemError("rename into place", (folder_ / name).string(), error.value());
      }
  }

  std::filesystem::path folder_;
  std::filesystem::path own_folder_;
  PartTables tables_;
  std::optional<Otf2Output> output_;
  std::map<std::uint64_t, std::uint32_t> by_reference_;  // -> index
  std::vector<std::unique_ptr<LocationWriter>> writers_;
};

TracePart::TracePart(const std::filesystem::path& folder, TraceDefinitions own,
                     TraceNumbers numbers)
    : files_(std::make_unique<Files>(folder, std::move(own), std::move(numbers))) {}

TracePart::~TracePart() = default;

void TracePart::write(std::uint32_t location, std::span<const Event> events) {
  files_->write(location, events);
}

std::vector<std::uint64_t> TracePart::finish() {
  return files_->finish();
}

}  // namespace huddle
