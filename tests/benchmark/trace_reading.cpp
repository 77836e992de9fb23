// Measures how many events a second are read of a trace, beside OTF2's own reader with empty
// callbacks.

#include <fmt/format.h>
#include <otf2/otf2.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/traces/trace.hpp"
#include "profiles/traces/write/trace_writer.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/benchmark_main.hpp"

namespace huddle {
namespace {

constexpr std::string_view kUsage =
    "usage: trace_reading [--ranks N] [--events E] FOLDER\n"
    "Writes traces of N ranks (default 4) that exchange with their neighbours, of E/16, E/4 and E\n"
    "events altogether (default 24000000) below FOLDER, reads each one, prints what that took on\n"
    "one core, and removes them. OTF2: its own reader with callbacks that only count.\n"
    "  events/s of CPU time; peak: the largest resident memory of our reading\n";

struct Options {
  std::uint64_t ranks = 4;
  std::uint64_t events = 24'000'000;
  std::string folder;
};

Options parsed(const std::vector<std::string_view>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--ranks" || word == "--events") {
      if (++i == arguments.size()) throw UsageError(fmt::format("{} needs a number", word));
      (word == "--ranks" ? options.ranks : options.events) = number_from(arguments[i]);
    } else if (word.starts_with("-") || !options.folder.empty()) {
      throw UsageError(fmt::format("\"{}\" is not understood", word));
    } else {
      options.folder = word;
    }
  }
  if (options.folder.empty()) throw UsageError("a folder is missing");
  return options;
}

enum Region : std::uint32_t { kStep, kIsend, kIrecv, kWaitall, kAllreduce };
constexpr std::array kNames = {"step", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"};
constexpr std::uint64_t kEventsOfStep = 15;

traces::TraceDefinitions definitions_of(std::uint32_t ranks) {
  traces::TraceDefinitions all;
  for (const char* name : kNames)
    all.regions.push_back({name, name == kNames[0] ? traces::TraceRegion::Kind::kUser
                                                   : traces::TraceRegion::Kind::kMpi});
  all.communicators.push_back({"MPI_COMM_WORLD", {}, {}});
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    all.ranks.push_back({fmt::format("MPI Rank {}", rank), "n0", {rank}});
    all.locations.push_back({"Master thread", rank, 0, 0});
    all.communicators[0].ranks.push_back(rank);
  }
  return all;
}

// A receive, a send, their ends, and an MPI_Allreduce.
void append_step(std::vector<traces::Event>& events, std::uint64_t step, std::uint32_t rank,
                 std::uint32_t ranks) {
  std::uint64_t time = step * 20'000 + rank;
  const auto add = [&](traces::Event event) {
    event.time = time += 700;
    events.push_back(event);
  };
  const auto call = [&](Region region, const std::vector<traces::Event>& inside) {
    add({.subject = region, .kind = traces::EventKind::kEnter});
    for (const traces::Event& event : inside) add(event);
    add({.subject = region, .kind = traces::EventKind::kLeave});
  };
  using K = traces::EventKind;
  const std::uint64_t receive = 2 * step;
  const std::uint64_t send = 2 * step + 1;
  const traces::Event message{.bytes = 8192, .peer = (rank + 1) % ranks, .tag = 3};
  traces::Event sent = message;
  sent.kind = K::kIsend;
  sent.request = send;
  traces::Event received = message;
  received.kind = K::kIrecv;
  received.peer = (rank + ranks - 1) % ranks;
  received.request = receive;
  add({.subject = kStep, .kind = K::kEnter});
  call(kIrecv, {{.request = receive, .kind = K::kIrecvRequest}});
  call(kIsend, {sent});
  call(kWaitall, {{.request = send, .kind = K::kIsendComplete}, received});
  call(kAllreduce,
       {{.bytes = 8, .kind = K::kCollectiveEnd, .collective = traces::Collective::kAllToAll}});
  add({.subject = kStep, .kind = K::kLeave});
}

void write_trace(const std::filesystem::path& folder, std::uint32_t ranks, std::uint64_t events) {
  traces::TraceWriter writer(folder, definitions_of(ranks));
  const std::uint64_t steps = events / ranks / kEventsOfStep + 1;
  std::vector<traces::Event> batch;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    for (std::uint64_t step = 0; step < steps; ++step) {
      append_step(batch, step, rank, ranks);
      if (batch.size() < 4096 && step + 1 < steps) continue;
      writer.write(rank, batch);
      batch.clear();
    }
  writer.finish();
}

std::uint64_t read_by_us(const std::filesystem::path& folder) {
  const auto trace = traces::open_otf2(folder);
  std::vector<traces::Event> events(1024);
  std::uint64_t all = 0;
  for (std::uint32_t location = 0; location < trace->definitions().locations.size(); ++location) {
    const auto stream = trace->events_of(location);
    while (const std::size_t got = stream->read(events)) all += got;
  }
  return all;
}

template <class... Fields>
OTF2_CallbackCode count(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data,
                        OTF2_AttributeList*, Fields...) {
  ++*static_cast<std::uint64_t*>(data);
  return OTF2_CALLBACK_SUCCESS;
}

std::uint64_t read_by_otf2(const std::filesystem::path& folder, std::uint64_t ranks) {
  OTF2_Reader* reader = OTF2_Reader_Open((folder / "traces.otf2").c_str());
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  std::uint64_t got = 0;
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &got);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) OTF2_Reader_SelectLocation(reader, rank);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, count);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, count);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, count);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, count);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, count);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, count);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, count);
  std::uint64_t all = 0;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, rank);
    OTF2_Reader_ReadAllLocalDefinitions(reader, local, &got);
    OTF2_Reader_CloseDefReader(reader, local);
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, rank);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &all);
    OTF2_Reader_ReadAllLocalEvents(reader, events, &got);
    OTF2_Reader_CloseEvtReader(reader, events);
  }
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_Close(reader);
  return all;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Read>
double best_of_three(std::uint64_t expected, Read&& read) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const double begin = cpu_seconds();
    const std::uint64_t got = read();
    best = std::min(best, cpu_seconds() - begin);
    if (got != expected) throw Error(fmt::format("{} events read of {}", got, expected));
  }
  return std::max(best, 1e-9);
}

std::uint64_t folder_bytes(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

// So that this process's memory is that of reading.
void write_in_a_child(const std::filesystem::path& folder, std::uint32_t ranks,
                      std::uint64_t events) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    try {
      write_trace(folder, ranks, events);
      ::_exit(0);
    } catch (const std::exception& error) {
      std::fputs(fmt::format("trace_reading: {}\n", error.what()).c_str(), stderr);
      ::_exit(1);
    }
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0)
    throw Error("the trace was not written");
}

// Removes what a failed run would leave.
struct Removed {
  explicit Removed(std::filesystem::path path) : folder(std::move(path)) {}
  ~Removed() {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
  }
  Removed(const Removed&) = delete;
  Removed& operator=(const Removed&) = delete;
  const std::filesystem::path folder;
};

void measure(const std::filesystem::path& folder, std::uint32_t ranks, std::uint64_t events) {
  const Removed trace(folder);
  write_in_a_child(folder, ranks, events);
  const std::uint64_t all = (events / ranks / kEventsOfStep + 1) * kEventsOfStep * ranks;
  const double ours = best_of_three(all, [&] { return read_by_us(folder); });
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const double theirs = best_of_three(all, [&] { return read_by_otf2(folder, ranks); });
  const auto millions = static_cast<double>(all) / 1e6;
  fmt::print("{:>12} {:>9.1f} {:>12.1f} {:>16.1f} {:>10.1f}\n", all,
             static_cast<double>(folder_bytes(folder)) / 1e6, millions / ours, millions / theirs,
             static_cast<double>(usage.ru_maxrss) / 1024);
}

void run(const Options& options) {
  fmt::print("{:>12} {:>9} {:>12} {:>16} {:>10}\n", "events", "MB", "M events/s", "OTF2 M events/s",
             "peak MiB");
  for (const std::uint64_t part : {16U, 4U, 1U})
    measure(std::filesystem::path(options.folder) / "trace_reading",
            static_cast<std::uint32_t>(options.ranks), options.events / part);
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  return huddle::benchmark_main(
      "trace_reading", huddle::kUsage, argc, argv,
      [](const auto& arguments) { huddle::run(huddle::parsed(arguments)); });
}
