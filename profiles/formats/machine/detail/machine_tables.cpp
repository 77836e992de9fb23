#include "profiles/formats/machine/detail/machine_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiles/formats/machine/machine_fields.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t kMostPairs = 1U << 16U;
constexpr std::size_t kLongestOperation = 64;

auto from_to(std::uint32_t least, std::uint32_t most) {
  return [least, most](const Field& field, std::uint32_t value) {
    if (value < least || value > most)
      field.fail(fmt::format("a whole number from {} to {}", least, most));
  };
}

void check_operation(const Field& field, const std::string& text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  if (text.empty() || text.size() > kLongestOperation ||
      !std::all_of(text.begin(), text.end(), fits))
    field.fail("an MPI function without MPI_ and in lower case, such as \"allreduce\"");
}

double read_positive(const Field& field) {
  const double value = field.number();
  kAboveZero(field, value);
  return value;
}

// "bytes" and "time_s" of an entry: two numbers, or two arrays of the same length.
void read_times(const MemberReader& entry, std::vector<TimeOfSize>& times) {
  const Field bytes = entry.object().at("bytes");
  const Field seconds = entry.object().at("time_s");
  Origin origin{};
  named_origin(origin).read(entry.object().at("origin"));
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
template <class Entry>
ordered_json entries_of(const std::vector<Entry>& all) {
  ordered_json array = ordered_json::array();
  for (const Entry& one : all)
    for (const Origin origin : {Origin::kMeasured, Origin::kGiven, Origin::kAssumed}) {
      ordered_json entry = object_of(one);
      for (const TimeOfSize& time : one.times) {
        if (time.origin != origin) continue;
        entry["bytes"].push_back(time.bytes.value);
        entry["time_s"].push_back(time.time.value);
      }
      if (!entry.contains("bytes")) continue;
      entry["origin"] = name_of(origin);
      array.push_back(std::move(entry));
    }
  return array;
}

// Reads entries with times: those of one key are put together and in order.
template <class Entry, class KeyOf, class NameOf>
std::vector<Entry> entries_in(const Field& field, KeyOf key_of, NameOf whose) {
  std::map<decltype(key_of(Entry())), Entry> by_key;
  field.for_each([&](const Field& entry) {
    Entry read;
    read_value(entry, read);
    read_times(MemberReader(entry), by_key.try_emplace(key_of(read), read).first->second.times);
  });
  std::vector<Entry> entries;
  for (auto& [key, entry] : by_key) {
    finish(entry.times, field, whose(entry));
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

std::string_view name_of(Distance distance) {
  return kDistanceNames[static_cast<std::size_t>(distance)];
}

std::string_view name_of(Origin origin) {
  return kOriginNames[static_cast<std::size_t>(origin)];
}

template <class Members>
void describe(Members& members, In<Members, MessageTimes>& entry) {
  members.required("distance", named_distance(entry.distance));
  members.required("pairs", entry.pairs, from_to(1, kMostPairs));
}

template <class Members>
void describe(Members& members, In<Members, CollectiveTimes>& entry) {
  members.required("operation", entry.operation, check_operation);
  members.required("pattern", entry.pattern, kIsPattern);
  members.required("ranks", entry.ranks, from_to(2, kMostRanks));
}

template <class Members>
void describe(Members& members, In<Members, MemoryStream>& stream) {
  members.required("within", named_distance(stream.within),
                   [](const Field& field, Distance within) {
                     if (within == Distance::kNetwork)
                       field.fail("\"die\", \"package\" or \"node\"");
                   });
  members.required("ranks", stream.ranks, from_to(1, kMostPairs));
  members.required("bandwidth_bytes_per_s", stream.bandwidth, kAboveZero);
  members.required("origin", named_origin(stream.origin));
}

std::vector<MessageTimes> read_messages(const Field& field) {
  return entries_in<MessageTimes>(
      field, [](const MessageTimes& entry) { return std::pair(entry.distance, entry.pairs); },
      [](const MessageTimes& entry) {
        return fmt::format("{} with {} pair(s)", name_of(entry.distance), entry.pairs);
      });
}

std::vector<CollectiveTimes> read_collectives(const Field& field) {
  // The pattern "10:1:1" comes behind "2:1:1".
  return entries_in<CollectiveTimes>(
      field,
      [](const CollectiveTimes& entry) {
        return std::tuple(entry.operation, pattern_numbers(entry.pattern), entry.ranks);
      },
      [](const CollectiveTimes& entry) {
        return fmt::format("{} on {} with {} ranks", entry.operation, entry.pattern, entry.ranks);
      });
}

std::vector<MemoryStream> read_memory_streams(const Field& field) {
  std::map<std::pair<Distance, std::uint32_t>, MemoryStream> by_key;
  field.for_each([&](const Field& entry) {
    MemoryStream stream;
    read_value(entry, stream);
    if (!by_key.try_emplace({stream.within, stream.ranks}, stream).second)
      entry.fail(fmt::format("each number of ranks once; {} ranks within a {} are there twice",
                             stream.ranks, name_of(stream.within)));
  });
  std::vector<MemoryStream> streams;
  for (const auto& [key, stream] : by_key) streams.push_back(stream);
  return streams;
}

ordered_json encoded(const std::vector<MessageTimes>& messages) {
  return entries_of(messages);
}

ordered_json encoded(const std::vector<CollectiveTimes>& collectives) {
  return entries_of(collectives);
}

ordered_json encoded(const std::vector<MemoryStream>& streams) {
  return json_value(streams);
}

}  // namespace huddle
