#include "profiles/traces/read/detail/records.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace huddle::otf2 {

DefinitionRecords::DefinitionRecords(const std::filesystem::path& file, std::uint64_t chunk_bytes)
    : window_(file), chunks_(window_, chunk_bytes) {}

bool DefinitionRecords::next() {
  window_.advance(bytes_);
  bytes_ = 0;
  if (!chunks_.at_record()) return false;
  if (!window_.ensure(2)) window_.fail("the end of the file", "a record's length");
  type_ = window_.data()[0];
  std::uint64_t bytes = window_.data()[1];
  std::size_t head = 2;
  if (bytes == 0xff) {
    head = 10;
    if (!window_.ensure(head)) window_.fail("the end of the file", "a record's length");
    bytes = load(window_.data() + 2, chunks_.big_endian());
  }
  if (bytes > window_.left() - head)
    window_.fail(fmt::format("a record of {} bytes", bytes),
                 fmt::format("at most the {} that are left of the file", window_.left() - head));
  window_.ensure(head + static_cast<std::size_t>(bytes));
  window_.advance(head);
  bytes_ = static_cast<std::size_t>(bytes);
  if (window_.available() < bytes_) window_.fail("the end of the file", "a whole record");
  return true;
}

RecordFields DefinitionRecords::fields() const {
  return {window_.data(), window_.data() + bytes_, chunks_.big_endian()};
}

void EventRecords::begin_record() {
  const std::uint8_t* at = window_.data();
  std::size_t head = 2;
  std::uint64_t bytes = at[1];
  if (bytes == 0xff) {
    head = 10;
    bytes = load(at + 2, chunks_.big_endian());
  }
  if (window_.left() < head || bytes > window_.left() - head)
    window_.fail(fmt::format("a record of {} bytes", bytes), "one that ends before the file does");
  fields_ = at + head;
  fields_bytes_ = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kRoom - head));
  rest_ = head + bytes;
}

}  // namespace huddle::otf2
