#include "profiles/recorder/recorded_trace.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

constexpr std::string_view kMark = "huddle recorded trace 1\n";

class Packer {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void put(Number number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);  // NOLINT: its bytes
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    text_ += text;
  }
  void put(const std::filesystem::path& path) { put(path.native()); }
  void put(const ClockPoint& point) {
    put(point.ticks), put(point.nanoseconds), put(point.uncertainty_ns);
  }
  void put(const RecordedThread& thread) { put(thread.file), put(thread.events); }
  void put(const CallFrame& frame) { put(frame.module), put(frame.offset); }
  void put(const RecordedCommunicator& one) {
    put(one.key), put(one.name), put(one.group), put(one.remote);
    put(std::uint8_t{one.self});
  }
  void put(const RecordedWindow& window) { put(window.key), put(window.communicator); }
  template <class Item>
  void put(const std::vector<Item>& items) {
    put(std::uint64_t{items.size()});
    for (const Item& item : items) put(item);
  }

  std::string text_{kMark};
};

class Unpacker {
 public:
  Unpacker(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {
    if (!text.starts_with(kMark)) refuse("something else");
    at_ = kMark.size();
  }

  template <class Number>
  requires std::is_arithmetic_v<Number>
  void get(Number& number) { std::memcpy(&number, take(sizeof number).data(), sizeof number); }
  void get(std::string& text) { text = take(length()); }
  void get(std::filesystem::path& path) { path = take(length()); }
  void get(ClockPoint& point) {
    get(point.ticks), get(point.nanoseconds), get(point.uncertainty_ns);
  }
  void get(RecordedThread& thread) { get(thread.file), get(thread.events); }
  void get(CallFrame& frame) { get(frame.module), get(frame.offset); }
  void get(RecordedCommunicator& one) {
    std::uint8_t self = 0;
    get(one.key), get(one.name), get(one.group), get(one.remote), get(self);
    one.self = self != 0;
  }
  void get(RecordedWindow& window) { get(window.key), get(window.communicator); }
  template <class Item>
  void get(std::vector<Item>& items) {
    items.resize(length());  // each takes a byte at least
    for (Item& item : items) get(item);
  }
  void end() const {
    if (at_ != text_.size()) refuse(fmt::format("{} bytes more", text_.size() - at_));
  }

 private:
  [[noreturn]] void refuse(std::string_view found) const {
    throw FormatError(origin_, fmt::format("byte {}", at_), found, "a rank's recorded trace");
  }
  std::size_t length() {
    std::uint64_t size = 0;
    get(size);
    if (size > text_.size() - at_) refuse(fmt::format("a length of {}", size));
    return size;
  }
  std::string_view take(std::size_t size) {
    if (size > text_.size() - at_) refuse("the end");
    const std::string_view taken = text_.substr(at_, size);
    at_ += size;
    return taken;
  }

  std::string_view text_;
  std::string_view origin_;
  std::size_t at_ = 0;
};

// What it consists of, in the order of the text.
template <class Trace, class Each>
void for_all_of(Trace& trace, Each each) {
  each(trace.rank), each(trace.ranks), each(trace.node), each(trace.ticks_per_second);
  each(trace.clock_begin), each(trace.clock_end), each(trace.threads), each(trace.operations);
  each(trace.call_paths), each(trace.modules), each(trace.groups), each(trace.communicators);
  each(trace.windows), each(trace.remarks), each(trace.raw_folder);
}

}  // namespace

std::string RecordedTrace::packed() const {
  Packer packer;
  for_all_of(*this, [&](const auto& part) { packer.put(part); });
  return std::move(packer.text_);
}

RecordedTrace RecordedTrace::unpacked(std::string_view text, std::string_view origin) {
  RecordedTrace trace;
  Unpacker unpacker(text, origin);
  for_all_of(trace, [&](auto& part) { unpacker.get(part); });
  unpacker.end();
  return trace;
}

}  // namespace huddle::recorder
