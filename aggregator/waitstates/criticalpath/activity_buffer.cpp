#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

ActivityBuffer::ActivityBuffer(std::filesystem::path folder, std::size_t in_memory)
    : folder_(std::move(folder)),
      activities_(folder_, in_memory),
      dependencies_(folder_, in_memory),
      delays_(folder_, in_memory) {}

void ActivityBuffer::add(std::uint32_t rank, const Activity& activity) {
  activities_.append({activity, rank});
}

void ActivityBuffer::add(std::uint32_t rank, const Dependency& dependency) {
  dependencies_.append({dependency, rank});
}

void ActivityBuffer::add_path(std::uint32_t rank, std::uint32_t path, std::uint32_t parent,
                              std::uint32_t region, bool mpi) {
  paths_.push_back({rank, path, parent, region, mpi ? 1U : 0U});
}

void ActivityBuffer::add_delay(std::uint32_t rank, const ThreadDelay& delay) {
  delays_.append({delay, rank});
}

void ActivityBuffer::add_thread_path(std::uint32_t location, std::uint32_t path,
                                     std::uint32_t parent, std::uint32_t region, bool mpi) {
  thread_paths_.push_back({location, path, parent, region, mpi ? 1U : 0U});
}

namespace {

// The processes are of one program on machines of one kind: their memory is their format.
void put(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes += text;
}

void put(std::string& bytes, const std::vector<ActivityBuffer::PathRecord>& paths) {
  put(bytes, paths.size());
  bytes.append(reinterpret_cast<const char*>(paths.data()),
               paths.size() * sizeof(ActivityBuffer::PathRecord));
}

class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  void paths(std::vector<ActivityBuffer::PathRecord>& behind) {
    const std::uint64_t count = number();
    const std::string_view records = take(count, sizeof(ActivityBuffer::PathRecord));
    const std::size_t before = behind.size();
    behind.resize(before + count);
    if (count > 0) std::memcpy(&behind[before], records.data(), records.size());
  }
  std::string text() { return std::string(take(number())); }
  /// `count` records of `bytes` each.
  std::string_view take(std::uint64_t count, std::size_t bytes) {
    return take(count > rest_.size() / bytes ? UINT64_MAX : count * bytes);
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw Error("another process of the analysis sent half a message");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace

ActivitySource::ActivitySource(ActivityBuffer& buffer, Exchange& exchange)
    : buffer_(buffer),
      exchange_(exchange),
      paths_(buffer.paths()),
      thread_paths_(buffer.thread_paths()) {
  if (exchange.processes() == 1) return;
  const std::vector<std::string> all = exchange.gather(published());
  for (std::size_t process = 1; process < all.size(); ++process) take(all[process]);
}

std::string ActivitySource::published() {
  std::string bytes;
  if (exchange_.process() == 0) return bytes;
  put(bytes, buffer_.activities().size());
  put(bytes, buffer_.dependencies().size());
  put(bytes, buffer_.delays().size());
  put(bytes, buffer_.activities().publish().string());
  put(bytes, buffer_.dependencies().publish().string());
  put(bytes, buffer_.delays().publish().string());
  put(bytes, paths_);
  put(bytes, thread_paths_);
  return bytes;
}

void ActivitySource::take(std::string_view bytes) {
  Taker taker(bytes);
  Published other;
  other.activity_count = taker.number();
  other.dependency_count = taker.number();
  other.delay_count = taker.number();
  other.activities = taker.text();
  other.dependencies = taker.text();
  other.delays = taker.text();
  others_.push_back(std::move(other));
  taker.paths(paths_);
  taker.paths(thread_paths_);
}

std::uint64_t ActivitySource::dependencies() const {
  std::uint64_t sum = buffer_.dependencies().size();
  for (const Published& other : others_) sum += other.dependency_count;
  return sum;
}

std::uint64_t ActivitySource::delays() const {
  std::uint64_t sum = buffer_.delays().size();
  for (const Published& other : others_) sum += other.delay_count;
  return sum;
}

void ActivitySource::release(bool could_read) {
  if (exchange_.processes() == 1) return;
  const std::uint64_t failures = exchange_.sum(could_read ? 0 : 1);
  if (failures > 0 && could_read)
    throw Error("the first process of the analysis could not read what the others wrote");
}

}  // namespace huddle
