#include "aggregator/waitstates/replay/report_part.hpp"

#include <cstring>
#include <type_traits>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Both know how to walk a part: so what is written is what is read.
class Packing {
 public:
  template <class Value>
  void plain(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::uint64_t count(std::uint64_t size) {
    plain(size);
    return size;
  }
  std::string bytes;
};

class Unpacking {
 public:
  explicit Unpacking(const std::string& bytes) : bytes_(bytes) {}

  template <class Value>
  void plain(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    if (bytes_.size() - at_ < sizeof value) fail();
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
  }
  std::uint64_t count(std::uint64_t) {
    std::uint64_t size = 0;
    plain(size);
    if (size > bytes_.size()) fail();
    return size;
  }

 private:
  [[noreturn]] static void fail() {
    throw Error("a process of the analysis sent a part that ends early: are all of one version?");
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <class Walk, class List>
void plain_list(Walk& walk, List& list) {
  list.resize(walk.count(list.size()));
  for (auto& item : list) walk.plain(item);
}

template <class Walk, class List, class Each>
void list_of(Walk& walk, List& list, Each each) {
  list.resize(walk.count(list.size()));
  for (auto& item : list) each(item);
}

template <class Walk>
void walk_waits(Walk& walk, PathWaits& waits) {
  walk.plain(waits.pattern);
  walk.plain(waits.call_path);
  walk.plain(waits.count);
  walk.plain(waits.ticks);
  walk.plain(waits.longest);
  walk.plain(waits.energy.spent_nj);
  walk.plain(waits.energy.saving_nj);
  walk.plain(waits.energy.busy_saving_nj);
  plain_list(walk, waits.energy.winners);
  plain_list(walk, waits.energy.busy_winners);
}

template <class Walk>
void walk_part(Walk& walk, ReportPart& part) {
  list_of(walk, part.locations, [&](ReportPart::Location& location) {
    walk.plain(location.index);
    walk.plain(location.begin);
    walk.plain(location.end);
    walk.plain(location.events);
    plain_list(walk, location.paths);
    list_of(walk, location.waits, [&](PathWaits& waits) { walk_waits(walk, waits); });
    plain_list(walk, location.timeline);
  });
  walk.plain(part.anomalies);
  list_of(walk, part.remarks, [&](std::string& remark) { plain_list(walk, remark); });
}

}  // namespace

std::string packed(const ReportPart& part) {
  Packing packing;
  ReportPart copy = part;
  walk_part(packing, copy);
  return std::move(packing.bytes);
}

ReportPart unpacked(const std::string& bytes) {
  Unpacking unpacking(bytes);
  ReportPart part;
  walk_part(unpacking, part);
  return part;
}

}  // namespace huddle
