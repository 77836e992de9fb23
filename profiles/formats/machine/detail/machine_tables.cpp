#include "profiles/formats/machine/detail/machine_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiles/formats/machine/machine_fields.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/pattern_text.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t kMostPairs = 1U << 16U;
constexpr std::size_t kLongestOperation = 64;

std::uint32_t read_count(const Field& field, std::uint32_t least, std::uint32_t most) {
  const std::uint64_t value = field.unsigned_integer();
  if (value < least || value > most)
    field.fail(fmt::format("a whole number from {} to {}", least, most));
  return static_cast<std::uint32_t>(value);
}

std::string read_operation(const Field& field) {
  const std::string& text = field.text();
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  if (text.empty() || text.size() > kLongestOperation ||
      !std::all_of(text.begin(), text.end(), fits))
    field.fail("an MPI function without MPI_ and in lower case, such as \"allreduce\"");
  return text;
}

// "bytes" and "time_s" of an entry: two numbers, or two arrays of the same length.
void read_times(const Field& entry, std::vector<TimeOfSize>& times) {
  const Field bytes = entry.at("bytes");
  const Field seconds = entry.at("time_s");
  const Origin origin = read_origin(entry.at("origin"));
  if (!bytes.is_array()) {
    times.push_back({{bytes.unsigned_integer()}, {read_positive(seconds)}, origin});
    return;
  }
  const std::size_t count = bytes.array_size();
  if (count == 0) bytes.fail("at least one size");
  if (seconds.array_size() != count)
    seconds.fail(fmt::format("an array of {}, as long as \"bytes\"", count));
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(
        {{bytes.element(i).unsigned_integer()}, {read_positive(seconds.element(i))}, origin});
}

// Puts the times in order. `field` is the whole array: the same size twice may be in two entries.
void finish(std::vector<TimeOfSize>& times, const Field& field, const std::string& whose) {
  const auto before = [](const TimeOfSize& a, const TimeOfSize& b) { return a.bytes < b.bytes; };
  const auto same = [](const TimeOfSize& a, const TimeOfSize& b) { return a.bytes == b.bytes; };
  std::sort(times.begin(), times.end(), before);
  const auto twice = std::adjacent_find(times.begin(), times.end(), same);
  if (twice != times.end())
    field.fail(fmt::format("each size once; {} has {} bytes twice", whose, twice->bytes.value));
}

// One entry for each run of times of the same origin, so that no origin is lost.
void append(ordered_json& array, const ordered_json& key, const std::vector<TimeOfSize>& times) {
  for (const Origin origin : {Origin::kMeasured, Origin::kGiven, Origin::kAssumed}) {
    ordered_json bytes = ordered_json::array();
    ordered_json seconds = ordered_json::array();
    for (const TimeOfSize& time : times) {
      if (time.origin != origin) continue;
      bytes.push_back(time.bytes.value);
      seconds.push_back(time.time.value);
    }
    if (bytes.empty()) continue;
    ordered_json entry = key;
    entry["bytes"] = std::move(bytes);
    entry["time_s"] = std::move(seconds);
    entry["origin"] = name_of(origin);
    array.push_back(std::move(entry));
  }
}

}  // namespace

std::vector<MessageTimes> read_messages(const Field& field) {
  std::map<std::pair<Distance, std::uint32_t>, std::vector<TimeOfSize>> by_key;
  field.for_each([&](const Field& entry) {
    const Distance distance = read_distance(entry.at("distance"));
    const std::uint32_t pairs = read_count(entry.at("pairs"), 1, kMostPairs);
    read_times(entry, by_key[{distance, pairs}]);
  });
  std::vector<MessageTimes> messages;
  for (auto& [key, times] : by_key) {
    finish(times, field, fmt::format("{} with {} pair(s)", name_of(key.first), key.second));
    messages.push_back({key.first, key.second, std::move(times)});
  }
  return messages;
}

std::vector<CollectiveTimes> read_collectives(const Field& field) {
  // The pattern "10:1:1" comes behind "2:1:1".
  using Key = std::tuple<std::string, std::vector<std::uint32_t>, std::uint32_t>;
  std::map<Key, CollectiveTimes> by_key;
  field.for_each([&](const Field& entry) {
    CollectiveTimes read;
    read.operation = read_operation(entry.at("operation"));
    read.pattern = read_pattern(entry.at("pattern"));
    read.ranks = read_count(entry.at("ranks"), 2, kMostRanks);
    const Key key{read.operation, pattern_numbers(read.pattern), read.ranks};
    CollectiveTimes& kept = by_key.try_emplace(key, std::move(read)).first->second;
    read_times(entry, kept.times);
  });
  std::vector<CollectiveTimes> collectives;
  for (auto& [key, entry] : by_key) {
    finish(entry.times, field,
           fmt::format("{} on {} with {} ranks", entry.operation, entry.pattern, entry.ranks));
    collectives.push_back(std::move(entry));
  }
  return collectives;
}

std::vector<MemoryStream> read_memory_streams(const Field& field) {
  std::map<std::pair<Distance, std::uint32_t>, MemoryStream> by_key;
  field.for_each([&](const Field& entry) {
    MemoryStream stream;
    stream.within = read_distance(entry.at("within"));
    if (stream.within == Distance::kNetwork)
      entry.at("within").fail("\"die\", \"package\" or \"node\"");
    stream.ranks = read_count(entry.at("ranks"), 1, kMostPairs);
    stream.bandwidth = {read_positive(entry.at("bandwidth_bytes_per_s"))};
    stream.origin = read_origin(entry.at("origin"));
    if (!by_key.try_emplace({stream.within, stream.ranks}, stream).second)
      entry.fail(fmt::format("each number of ranks once; {} ranks within a {} are there twice",
                             stream.ranks, name_of(stream.within)));
  });
  std::vector<MemoryStream> streams;
  for (const auto& [key, stream] : by_key) streams.push_back(stream);
  return streams;
}

ordered_json encoded(const std::vector<MessageTimes>& messages) {
  ordered_json array = ordered_json::array();
  for (const MessageTimes& entry : messages)
    append(array, {{"distance", name_of(entry.distance)}, {"pairs", entry.pairs}}, entry.times);
  return array;
}

ordered_json encoded(const std::vector<CollectiveTimes>& collectives) {
  ordered_json array = ordered_json::array();
  for (const CollectiveTimes& entry : collectives)
    append(array,
           {{"operation", utf8(entry.operation)},
            {"pattern", utf8(entry.pattern)},
            {"ranks", entry.ranks}},
           entry.times);
  return array;
}

ordered_json encoded(const std::vector<MemoryStream>& streams) {
  ordered_json array = ordered_json::array();
  for (const MemoryStream& stream : streams)
    array.push_back({{"within", name_of(stream.within)},
                     {"ranks", stream.ranks},
                     {"bandwidth_bytes_per_s", stream.bandwidth.value},
                     {"origin", name_of(stream.origin)}});
  return array;
}

}  // namespace huddle
