#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "profiles/traces/read/detail/otf2_format.hpp"
#include "profiles/traces/read/detail/record_fields.hpp"
#include "profiles/traces/read/detail/record_window.hpp"

namespace huddle::otf2 {

/// The records of a file of definitions, one after the other. Not thread-safe.
class DefinitionRecords {
 public:
  /// Throws SystemError and FormatError.
  DefinitionRecords(const std::filesystem::path& file, std::uint64_t chunk_bytes);

  /// Goes to the next record; false at the end. Throws FormatError for a damaged file.
  bool next();
  [[nodiscard]] std::uint8_t type() const { return type_; }
  /// Of this record; views into the window until next().
  [[nodiscard]] RecordFields fields() const;
  /// Blames this record.
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    window_.fail(found, expected);
  }

 private:
  RecordWindow window_;
  ChunkWalk chunks_;
  std::uint8_t type_ = 0;
  std::size_t bytes_ = 0;  // of this record, which the window still has
};

/// The records of a file of events, one after the other. Not thread-safe.
class EventRecords {
 public:
  /// Throws SystemError and FormatError.
  EventRecords(const std::filesystem::path& file, std::uint64_t chunk_bytes,
               std::shared_ptr<DescriptorBudget> budget)
      : window_(file, std::move(budget)), chunks_(window_, chunk_bytes) {}

  /// Goes to the next record; false at the end. Throws FormatError for a damaged file.
  bool next() {
    window_.skip(rest_);
    rest_ = 0;
    for (;;) {
      window_.ensure(kRoom);
      if (window_.available() == 0 || *window_.data() <= kChunkHeader) {
        if (!chunks_.at_record()) return false;
        continue;
      }
      if (*window_.data() != kTimestamp) break;
      take_timestamp();
    }
    type_ = *window_.data();
    if (is_lone_number(type_))
      begin_lone_number();
    else
      begin_record();
    return true;
  }

  [[nodiscard]] std::uint8_t type() const { return type_; }
  /// As in the file.
  [[nodiscard]] std::uint64_t time() const { return time_; }
  /// Of this record; views into the window until next().
  [[nodiscard]] RecordFields fields() const {
    return {fields_, fields_ + fields_bytes_, chunks_.big_endian()};
  }
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    window_.fail(found, expected);
  }

 private:
  // More than a head and all fields of any record that is of use here can take.
  static constexpr std::size_t kRoom = 256;

  static bool is_lone_number(std::uint8_t type) {
    constexpr std::uint64_t kLone =
        1ULL << kEnter | 1ULL << kLeave | 1ULL << kMpiIsendComplete | 1ULL << kMpiIrecvRequest |
        1ULL << kMpiRequestTest | 1ULL << kMpiRequestCancelled | 1ULL << kOmpFork |
        1ULL << kOmpTaskCreate | 1ULL << kOmpTaskSwitch | 1ULL << kOmpTaskComplete;
    return type < 64 && (kLone >> type & 1) != 0;
  }

  void take_timestamp() {
    if (window_.available() < 9) window_.fail("the end of the file", "a whole time stamp");
    time_ = load(window_.data() + 1, chunks_.big_endian());
    window_.advance(9);
  }

  void begin_lone_number() {
    fields_ = window_.data() + 1;
    const std::uint8_t bytes = *fields_;
    fields_bytes_ = bytes == 0xff ? 1 : std::size_t{bytes} + 1;
    if (fields_bytes_ > 9) window_.fail("a number of more than 8 bytes", "at most 8");
    rest_ = 1 + fields_bytes_;
    if (rest_ > window_.available()) window_.fail("the end of the file", "a whole record");
  }

  void begin_record();

  RecordWindow window_;
  ChunkWalk chunks_;
  std::uint64_t time_ = 0;
  std::uint64_t rest_ = 0;  // of this record, from the window's begin
  const std::uint8_t* fields_ = nullptr;
  std::size_t fields_bytes_ = 0;
  std::uint8_t type_ = 0;
};

}  // namespace huddle::otf2
