#include "profiles/hardware/monitoring/sensor_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace huddle::power {
namespace {

class KeptFile final : public SensorFile {
 public:
  explicit KeptFile(std::string path) : path_(std::move(path)) {}
  ~KeptFile() override { close(); }

  long read(char* buffer, std::size_t size) noexcept override {
    if (descriptor_ >= 0 && is_gone()) close();
    if (descriptor_ < 0)
      descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) return -errno;
    const ssize_t got = ::pread(descriptor_, buffer, size, 0);
    if (got >= 0) return got;
    const int failure = errno;
    close();
    return -failure;
  }

 private:
  [[nodiscard]] bool is_gone() const noexcept {
    struct stat status {};
    return ::fstat(descriptor_, &status) != 0 || status.st_nlink == 0;
  }
  void close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace

std::unique_ptr<SensorFile> kept_file(std::string path) {
  return std::make_unique<KeptFile>(std::move(path));
}

}  // namespace huddle::power
