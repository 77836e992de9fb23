#include "profiles/recorder/delivery/file_carrier.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/open_file.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
// The least charge for a file: many empty ones cost something, too.
constexpr std::uint64_t kLeastCharge = 4096;

class Source {
 public:
  explicit Source(const fs::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), path.string()) {
    if (file_.descriptor() < 0) throw SystemError("open", path.string(), errno);
    const struct stat status = file_.status();
    if (!S_ISREG(status.st_mode)) throw Error(path.string() + " is not a regular file");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::string piece_at(std::uint64_t position) const {
    if (::lseek(file_.descriptor(), static_cast<off_t>(position), SEEK_SET) < 0)
      throw SystemError("read", "a file of the spool", errno);
    std::string piece = file_.read(static_cast<std::size_t>(std::min(kPiece, size_ - position)));
    if (piece.empty()) throw Error("a file of the spool was cut while it was read");
    return piece;
  }
  // Where the data begins that is at `position` or behind it; the file's end if there is none.
  [[nodiscard]] std::uint64_t data_from(std::uint64_t position) const {
    const off_t data = ::lseek(file_.descriptor(), static_cast<off_t>(position), SEEK_DATA);
    if (data >= 0) return std::min(static_cast<std::uint64_t>(data), size_);
    return errno == ENXIO ? size_ : position;  // a file system may not know
  }

 private:
  files::OpenFile file_;
  std::uint64_t size_ = 0;
};

// A file that is written as it goes.
class OverwrittenFile {
 public:
  explicit OverwrittenFile(const fs::path& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600),
              path.string()),
        path_(path) {
    if (file_.descriptor() < 0) throw SystemError("create", path.string(), errno);
  }
  void write(std::string_view bytes) const { file_.write(bytes); }
  void skip(std::uint64_t bytes) const {
    const off_t end = ::lseek(file_.descriptor(), static_cast<off_t>(bytes), SEEK_CUR);
    if (end < 0 || ::ftruncate(file_.descriptor(), end) != 0)
      throw SystemError("write", path_.string(), errno);
  }

 private:
  files::OpenFile file_;
  const fs::path& path_;
};

}  // namespace

FileCarrier::FileCarrier(CarrierLimits limits) : limits_(std::move(limits)) {
  if (!limits_.sleep)
    limits_.sleep = [](std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); };
}

void FileCarrier::pace(std::uint64_t bytes) const {
  limits_.sleep(std::chrono::nanoseconds(static_cast<std::int64_t>(
      static_cast<double>(bytes) * 1e9 / static_cast<double>(limits_.bytes_per_second))));
}

void FileCarrier::charge(const fs::path& from, const fs::path& to, std::uint64_t size) {
  const auto known = charges_.find(to);
  const std::uint64_t before = known == charges_.end() ? 0 : known->second;
  const std::uint64_t charge = std::max(size, kLeastCharge);
  if (charge <= before) return;
  if (charge - before > limits_.bytes - charged_)
    throw TooLarge(fmt::format("{} has {} bytes, and a node's files of a step may have {} together",
                               from.filename().string(), size, limits_.bytes));
  charges_[to] = charge;
  charged_ += charge - before;
}

template <class From, class To>
void FileCarrier::copy(const From& from, To& to) const {
  for (std::uint64_t position = 0; position < from.size();) {
    if (const std::uint64_t data = from.data_from(position); data > position) {
      to.skip(data - position);
      position = data;
      continue;
    }
    const std::string piece = from.piece_at(position);
    to.write(piece);
    position += piece.size();
    pace(piece.size());
  }
}

void FileCarrier::carry(const fs::path& from, const fs::path& to) {
  const Source source(from);
  charge(from, to, source.size());
  files::AtomicFile target(to);
  copy(source, target);
  target.commit();
}

void FileCarrier::overwrite(const fs::path& from, const fs::path& to) {
  const Source source(from);
  charge(from, to, source.size());
  OverwrittenFile target(to);
  copy(source, target);
}

}  // namespace huddle::recorder
