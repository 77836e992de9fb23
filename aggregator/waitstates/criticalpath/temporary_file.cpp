#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

// Below this, memory of our own is cheaper than a file.
constexpr std::size_t kLeastForFile = 4U << 20U;

std::filesystem::path folder_or_default(const std::filesystem::path& folder) {
  return folder.empty() ? std::filesystem::temp_directory_path() : folder;
}

// The mapped files of this process.
class Mappings {
 public:
  static Mappings& all() {
    static Mappings mappings;
    return mappings;
  }

  void add(void* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    mapped_.emplace(data, bytes);
  }
  // Unmaps it, too: nobody may give back what another has mapped there since.
  void remove(void* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    mapped_.erase(data);
    if (mapped_.empty()) most_ = kUsualPages;
    munmap(data, bytes);
  }

  void keep_small() {
    const std::lock_guard lock(mutex_);
    if (mapped_.empty()) return;
    ++looks_;
    const std::optional<std::size_t> now = pages_of_files();
    if (now && *now < least_ + most_) {
      least_ = std::min(least_, *now);
      return;
    }
    // What is given back so soon is needed again at once: the system maps 64 KiB around each page
    // that is read, and a walk through the logs of many ranks reads at as many places.
    const bool is_first = least_ == 0;  // what is there may be the program itself
    if (!is_first && looks_ < kFewLooks) most_ = std::min(2 * most_, kMostPages);
    looks_ = 0;
    // Shared mappings lose nothing: the pages are the file's.
    for (const auto& [data, bytes] : mapped_) madvise(data, bytes, MADV_DONTNEED);
    least_ = pages_of_files().value_or(0);
  }

 private:
  static constexpr std::size_t kUsualPages = (16U << 20U) / 4096;
  static constexpr std::size_t kMostPages = (64U << 20U) / 4096;
  static constexpr unsigned kFewLooks = 8;

  // In memory, of this process: programs and libraries among them.
  static std::optional<std::size_t> pages_of_files() {
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    char text[128] = {};
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    std::size_t size = 0;
    std::size_t resident = 0;
    std::size_t shared = 0;
    if (got <= 0 || std::sscanf(text, "%zu %zu %zu", &size, &resident, &shared) != 3) return {};
    return shared;
  }

  std::mutex mutex_;
  std::map<void*, std::size_t> mapped_;
  std::size_t least_ = 0;  // pages that are there when nothing is touched
  std::size_t most_ = kUsualPages;
  unsigned looks_ = 0;  // since the last time that something was given back
};

}  // namespace

void keep_mapped_files_small() {
  constexpr unsigned kOften = 512;
  thread_local unsigned calls = 0;
  if (++calls % kOften == 0) Mappings::all().keep_small();
}

TemporaryFile::TemporaryFile(const std::filesystem::path& folder) {
  std::string pattern = (folder_or_default(folder) / "huddle-XXXXXX").string();
  descriptor_ = mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw SystemError("make a temporary file", pattern, errno);
  called_ = pattern;
  unlink(pattern.c_str());
}

TemporaryFile::~TemporaryFile() {
  close();
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : called_(std::move(other.called_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  called_ = std::move(other.called_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

void TemporaryFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void TemporaryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw SystemError("write to the temporary file", called_.string(), errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

MappedBytes::MappedBytes(std::size_t bytes, const std::filesystem::path& folder) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes < kLeastForFile) {
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) throw SystemError("get memory for", "a log of activities", errno);
    return;
  }
  const std::string place = folder_or_default(folder).string();
  const TemporaryFile file(folder);
  // All of it at once: a disk that gets full under a mapping ends the process.
  if (const int error = posix_fallocate(file.descriptor(), 0, static_cast<off_t>(bytes)))
    throw SystemError("find room for a temporary file in", place, error);
  data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (data_ == MAP_FAILED) throw SystemError("map a temporary file in", place, errno);
  Mappings::all().add(data_, bytes_);
}

MappedBytes::~MappedBytes() {
  if (data_ == nullptr) return;
  if (bytes_ < kLeastForFile)
    munmap(data_, bytes_);
  else
    Mappings::all().remove(data_, bytes_);
}

MappedBytes::MappedBytes(MappedBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MappedBytes& MappedBytes::operator=(MappedBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace huddle::waitstates
