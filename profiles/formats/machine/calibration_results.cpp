#include "profiles/formats/machine/calibration_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/machine/detail/machine_tables.hpp"
#include "profiles/formats/machine/machine_fields.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;

/// A line's object, and how errors call it.
struct Line {
  json content;
  std::string name;
};

Document document_of(const json& value, std::string_view file, std::string_view place = "") {
  return Document::parse_value(value.dump(), file, place);
}

Line line_from(std::string_view text, std::string_view file, std::size_t number) {
  Line line{json::parse(text, nullptr, false), fmt::format("{}: line {}", file, number)};
  if (line.content.is_discarded() || !line.content.is_object())
    throw FormatError(file, fmt::format("line {}", number), fmt::format("\"{}\"", shortened(text)),
                      "a JSON object");
  return line;
}

void read_head(const Line& line, CalibrationResults& results) {
  const Document document = document_of(line.content, line.name);
  const Field root = document.root();
  if (root.at("format").text() != "huddle/calibration")
    root.at("format").fail("\"huddle/calibration\"");
  if (root.at("version").unsigned_integer() != 1)
    root.at("version").fail("1, the version that this huddle reads");
  MemberReader members(root);
  members.required("layout", results.layout, kIsPattern);
  members.required("nodes", results.nodes);
  members.required("ranks", results.ranks);
}

// Each kind of result goes through the reader of the machine's table, as an array of its own.
class Collector {
 public:
  void add(Line line, CalibrationResults& results) {
    const Document document = document_of(line.content, line.name);
    const Field root = document.root();
    if (root.has("planned")) {
      results.planned = root.at("planned").unsigned_integer();
    } else if (root.has("left_out_for_want_of_time")) {
      results.left_out = root.at("left_out_for_want_of_time").unsigned_integer();
    } else {
      const std::string kind = root.at("kind").text();
      if (kind != "message" && kind != "collective" && kind != "stream")
        root.at("kind").fail("\"message\", \"collective\" or \"stream\"");
      line.content["origin"] = "measured";
      if (kind == "message") check([&](const Field& f) { read_messages(f); }, line);
      if (kind == "collective") check([&](const Field& f) { read_collectives(f); }, line);
      if (kind == "stream") check([&](const Field& f) { read_memory_streams(f); }, line);
      tables_[kind].push_back(std::move(line.content));
    }
  }

  void finish(CalibrationResults& results, std::string_view file) {
    const auto table = [&](const char* kind) {
      const json& entries = tables_[kind];
      return document_of(entries.is_null() ? json::array() : entries, file, kind);
    };
    results.messages = read_messages(table("message").root());
    results.collectives = read_collectives(table("collective").root());
    results.memory_streams = read_memory_streams(table("stream").root());
  }

 private:
  // So that an error names the line.
  template <class Read>
  static void check(Read read, const Line& line) {
    read(document_of(json::array({line.content}), line.name, "results").root());
  }

  std::map<std::string, json> tables_;
};

std::vector<TimeOfSize> merged(const std::vector<TimeOfSize>& a, const std::vector<TimeOfSize>& b) {
  std::map<std::uint64_t, TimeOfSize> by_size;
  for (const auto* times : {&a, &b})
    for (const TimeOfSize& time : *times) by_size[time.bytes.value] = time;
  std::vector<TimeOfSize> both;
  for (const auto& [bytes, time] : by_size) both.push_back(time);
  return both;
}

template <class Entry, class SameKey>
void merge_times(std::vector<Entry>& into, const std::vector<Entry>& from, SameKey same_key) {
  for (const Entry& entry : from) {
    const auto found = std::find_if(into.begin(), into.end(),
                                    [&](const Entry& known) { return same_key(known, entry); });
    if (found == into.end()) {
      into.push_back(entry);
    } else {
      found->times = merged(found->times, entry.times);
    }
  }
}

// Both tables in the order that a machine document has.
template <class Entry>
std::vector<Entry> in_order(const std::vector<Entry>& entries,
                            std::vector<Entry> (*read)(const Field&)) {
  return read(Document::parse_value(encoded(entries).dump(), "merged results", "results").root());
}

}  // namespace

std::size_t CalibrationResults::size() const {
  std::size_t results = memory_streams.size();
  for (const MessageTimes& entry : messages) results += entry.times.size();
  for (const CollectiveTimes& entry : collectives) results += entry.times.size();
  return results;
}

void CalibrationResults::merge(const CalibrationResults& other) {
  merge_times(messages, other.messages, [](const MessageTimes& a, const MessageTimes& b) {
    return a.distance == b.distance && a.pairs == b.pairs;
  });
  merge_times(collectives, other.collectives,
              [](const CollectiveTimes& a, const CollectiveTimes& b) {
                return a.operation == b.operation && a.pattern == b.pattern && a.ranks == b.ranks;
              });
  std::map<std::pair<Distance, std::uint32_t>, MemoryStream> streams;
  for (const auto* some : {&std::as_const(memory_streams), &other.memory_streams})
    for (const MemoryStream& stream : *some) streams[{stream.within, stream.ranks}] = stream;
  memory_streams.clear();
  for (const auto& [key, stream] : streams) memory_streams.push_back(stream);
  messages = in_order(messages, read_messages);
  collectives = in_order(collectives, read_collectives);
  nodes = std::max(nodes, other.nodes);
  ranks = std::max(ranks, other.ranks);
  planned += other.planned;
  left_out += other.left_out;
}

CalibrationResults parse_calibration(std::string_view text, std::string_view file) {
  CalibrationResults results;
  Collector collector;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    Line line = line_from(text.substr(at, end - at), file, ++number);
    if (number == 1) {
      read_head(line, results);
    } else {
      collector.add(std::move(line), results);
    }
    at = end + 1;
  }
  if (number == 0)
    throw FormatError(file, "the file", "no whole line", "results of huddle_calibration");
  collector.finish(results, file);
  return results;
}

CalibrationResults load_calibration(const std::filesystem::path& path) {
  return parse_calibration(files::read_file(path, kMostBytes), path.string());
}

}  // namespace huddle
