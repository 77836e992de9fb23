#include "profiles/traces/write/trace_writer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "profiles/files/atomic_folder.hpp"
#include "profiles/traces/write/trace_part.hpp"

namespace huddle {

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

  void finish() {
    const std::vector<std::uint64_t> events = part_.finish();
    for (std::size_t i = 0; i < events.size(); ++i) definitions_.locations[i].events = events[i];
    TraceClock clock;
    clock.length = std::max(definitions_.duration, end_);
    write_trace_definitions(folder_.temporary(), definitions_, clock);
    folder_.commit();
  }

 private:
  [[nodiscard]] TraceNumbers numbers() const {
    TraceNumbers numbers;
    numbers.all_communicators = static_cast<std::uint32_t>(definitions_.communicators.size());
    return numbers;
  }

  TraceDefinitions definitions_;
  AtomicFolder folder_;
  TracePart part_;
  std::uint64_t end_ = 0;
};

TraceWriter::TraceWriter(const std::filesystem::path& folder, TraceDefinitions definitions)
    : archive_(std::make_unique<Archive>(folder, std::move(definitions))) {}

TraceWriter::~TraceWriter() = default;

void TraceWriter::write(std::uint32_t location, std::span<const Event> events) {
  archive_->write(location, events);
}

void TraceWriter::finish() {
  archive_->finish();
}

}  // namespace huddle
