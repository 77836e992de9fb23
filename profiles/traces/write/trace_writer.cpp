#include "profiles/traces/write/trace_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>
#include <vector>

#include "profiles/files/atomic_folder.hpp"
#include "profiles/traces/write/detail/location_writer.hpp"
#include "profiles/traces/write/detail/otf2_output.hpp"
#include "profiles/traces/write/detail/part_tables.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {
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

class TraceWriter::Archive {
 public:
  Archive(const std::filesystem::path& folder, TraceDefinitions definitions)
      : definitions_(std::move(definitions)),
        folder_((check_trace_definitions(definitions_), folder)),
        part_(folder_.temporary(), definitions_, numbers()) {}

  void write(std::uint32_t location, std::span<const Event> events) {
    part_.write(location, events);
    if (!events.empty()) end_ = std::max(end_, events.back().time);
  }

  void finish(const std::vector<TracePower>& power) {
    const std::vector<std::uint64_t> events = part_.finish();
    for (std::size_t i = 0; i < events.size(); ++i) definitions_.locations[i].events = events[i];
    TraceClock clock;
    clock.length = std::max(definitions_.duration, end_);
    write_trace_definitions(folder_.temporary(), definitions_, clock, power);
    folder_.commit();
  }

 private:
  [[nodiscard]] TraceNumbers numbers() const {
    TraceNumbers numbers;
    numbers.all_communicators = static_cast<std::uint32_t>(definitions_.communicators.size());
    return numbers;
  }

  TraceDefinitions definitions_;
  files::AtomicFolder folder_;
  TracePart part_;
  std::uint64_t end_ = 0;
};

TraceWriter::TraceWriter(const std::filesystem::path& folder, TraceDefinitions definitions)
    : archive_(std::make_unique<Archive>(folder, std::move(definitions))) {}

TraceWriter::~TraceWriter() = default;

void TraceWriter::write(std::uint32_t location, std::span<const Event> events) {
  archive_->write(location, events);
}

void TraceWriter::finish(const std::vector<TracePower>& power) {
  archive_->finish(power);
}

}  // namespace huddle::traces
