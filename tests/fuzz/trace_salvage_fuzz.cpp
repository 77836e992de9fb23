#include "profiles/recorder/trace/trace_recovery.hpp"

#include <unistd.h>

#include <filesystem>
#include <string>

#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/traces/trace.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

namespace fs = std::filesystem;
using namespace huddle;
using namespace huddle::recorder;

void put(const fs::path& path, std::string_view content) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  demand(file != nullptr);
  demand(std::fwrite(content.data(), 1, content.size(), file) == content.size());
  std::fclose(file);
}

// In memory if it can be.
fs::path folder_of_this_process() {
  const fs::path memory = "/dev/shm";
  return (fs::exists(memory) ? memory : fs::temp_directory_path()) /
         ("huddle-salvage-fuzz-" + std::to_string(::getpid()));
}

void read_to_its_end(const RecordedThread& thread) {
  parsed([&] {
    EventFile file(thread);
    std::uint64_t time = 0;
    for (const auto* some = &file.next(); !some->empty(); some = &file.next())
      time = some->back().time;
    return time;
  });
}

// Each location's events can be read, or an error says what is wrong.
void read_trace(const fs::path& folder) {
  const auto trace = traces::open_otf2(folder);
  std::vector<traces::Event> events(1000);
  for (std::uint32_t i = 0; i < trace->definitions().locations.size(); ++i) {
    const auto stream = trace->events_of(i);
    while (stream->read(events) > 0) {
    }
  }
}

}  // namespace

/// Salvages the remains of a run, of one rank's making: two bytes say how long its definitions are,
/// then come its events. A trace that is made of it can be read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view all = as_text(data + 2, size - 2);
  const std::string_view definitions = all.substr(0, data[0] + 256U * data[1]);
  const auto recorded = parsed([&] { return RecordedTrace::unpacked(definitions, "fuzz"); });
  if (!recorded || recorded->ranks > 16 || recorded->threads.size() > 16)
    return 0;  // each is a file
  static const fs::path base = folder_of_this_process();
  fs::remove_all(base);
  const fs::path raw = RawTraceFolder::path_of(base / "t", "run");
  fs::create_directories(raw);
  put(raw / (std::to_string(recorded->rank) + ".definitions"), definitions);
  const fs::path events = raw / (std::to_string(recorded->rank) + ".0.events");
  put(events, all.substr(definitions.size()));
  read_to_its_end({events, RecordedThread::kUnknown});
  const auto made = parsed([&] {
    recover_trace(RawTraceFolder(raw));
    return true;
  });
  if (made) read_trace(base / "t");
  fs::remove_all(base);
  return 0;
}
