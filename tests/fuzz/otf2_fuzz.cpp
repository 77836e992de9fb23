#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/profiles/traces/event_promises.hpp"

namespace huddle {
namespace {

// The files of an archive of one or more locations, of which the first is numbered 0.
constexpr std::array kFiles = {"traces.otf2", "traces.def", "traces/0.def", "traces/0.evt"};

std::string make_folder() {
  const char* memory = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  std::string folder = std::string(memory) + "/otf2_fuzz.XXXXXX";
  demand(::mkdtemp(folder.data()) != nullptr);
  demand(::mkdir((folder + "/traces").c_str(), 0700) == 0);
  return folder;
}

// One for all inputs; removed at the end.
struct Folder {
  std::string path = make_folder();
  ~Folder() {
    for (const char* file : kFiles) ::unlink((path + "/" + file).c_str());
    ::rmdir((path + "/traces").c_str());
    ::rmdir(path.c_str());
  }
};

void put(const std::string& file, std::string_view bytes) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  demand(descriptor >= 0);
  demand(::write(descriptor, bytes.data(), bytes.size()) == static_cast<::ssize_t>(bytes.size()));
  ::close(descriptor);
}

// Each file but the last has two bytes of length in front.
void unpack(std::string_view input, const std::string& folder) {
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    std::size_t bytes = input.size();
    if (i + 1 < kFiles.size()) {
      if (input.size() < 2) {
        bytes = 0;
        input = {};
      } else {
        bytes = static_cast<unsigned char>(input[0]) * 256U + static_cast<unsigned char>(input[1]);
        input.remove_prefix(2);
        bytes = std::min(bytes, input.size());
      }
    }
    put(folder + "/" + kFiles[i], input.substr(0, bytes));
    input.remove_prefix(bytes);
  }
}

void read_location(traces::Trace& trace, std::uint32_t location) {
  parsed([&] {
    const auto stream = trace.events_of(location);
    traces::EventPromises promises(trace.definitions());
    std::vector<traces::Event> events(50);
    while (const std::size_t got = stream->read(events))
      demand(promises.look_at(std::span(events).first(got)).empty());
    return stream->remarks().size();
  });
}

}  // namespace
}  // namespace huddle

/// Any bytes in the files of an archive are a trace that keeps its promises, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  static const Folder folder;
  unpack(as_text(data, size), folder.path);
  if (const auto trace = parsed([&] { return traces::open_otf2(folder.path); })) {
    const traces::TraceDefinitions& definitions = (*trace)->definitions();
    demand(traces::broken_in(definitions).empty());
    for (std::uint32_t location = 0; location < definitions.locations.size(); ++location)
      read_location(**trace, location);
  }
  return 0;
}
