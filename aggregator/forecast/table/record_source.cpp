#include "aggregator/forecast/table/record_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "aggregator/forecast/table/csv_record.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{1} << 14U;
constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::size_t kLongestRecord = std::size_t{16} << 20U;

}  // namespace

RecordSource::RecordSource(Read read, std::string file)
    : read_(std::move(read)), file_(std::move(file)), buffer_(kFirstBlock) {}

// Reads once. What is before the next record is given up for it.
bool RecordSource::fill() {
  if (at_end_) return false;
  if (next_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + next_, filled_ - next_);
    filled_ -= next_;
    begin_ = end_ = next_ = 0;
  }
  if (filled_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = read_(buffer_.data() + filled_, buffer_.size() - filled_);
  filled_ += got;
  bytes_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

std::string_view RecordSource::ahead() {
  while (filled_ - next_ < kBlock && fill()) {
  }
  return {buffer_.data() + next_, filled_ - next_};
}

// From the next record's `from`-th byte on; the end of the file if there is none before it.
std::size_t RecordSource::find_line_end(std::size_t from) {
  while (true) {
    const char* begin = buffer_.data() + next_ + from;
    const std::size_t size = filled_ - next_ - from;
    if (const void* found = size > 0 ? std::memchr(begin, '\n', size) : nullptr)
      return from + static_cast<std::size_t>(static_cast<const char*>(found) - begin);
    from += size;
    if (from > kLongestRecord)
      throw FormatError(file_, fmt::format("line {}", line_),
                        fmt::format("more than {} MiB without an end", kLongestRecord >> 20U),
                        "lines of some numbers: a text file with a row in each line");
    if (!fill()) return from;
  }
}

bool RecordSource::next() {
  line_ = lines_ + 1;
  if (next_ == filled_ && !fill()) {
    begin_ = end_ = next_;
    return false;
  }
  std::size_t length = find_line_end(0);
  ++lines_;
  while (ends_in_quotes({buffer_.data() + next_, length}, separator_)) {
    if (next_ + length >= filled_)
      throw FormatError(file_, fmt::format("line {}", line_), "a quote that is not closed",
                        "a second \" where the quoted field ends: the file may be cut short");
    length = find_line_end(length + 1);
    ++lines_;
  }
  begin_ = next_;
  end_ = begin_ + length;
  has_line_end_ = end_ < filled_;
  next_ = std::min(end_ + 1, filled_);
  if (end_ > begin_ && buffer_[end_ - 1] == '\r') --end_;
  return true;
}

void RecordSource::restart_record() {
  next_ = begin_;
  lines_ = line_ - 1;
}

}  // namespace huddle
