#include "profiles/traces/read/event_records.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace huddle::otf2 {

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
