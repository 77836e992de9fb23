#pragma once

#include <filesystem>

namespace huddle::files {

/// A folder that appears whole or not at all: it is filled under a temporary name beside its own,
/// and renamed by commit(). Without commit() the destructor removes what is in it. Names are unique
/// as AtomicFile's are. Owned by one thread.
class AtomicFolder {
 public:
  /// Makes the temporary folder; the one that `path` is in must exist. Throws SystemError, or Error
  /// if there is something at `path` that is not an empty folder.
  explicit AtomicFolder(std::filesystem::path path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where it is until commit().
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }

  /// Gives the folder its name. Throws SystemError (somebody else has made such a folder
  /// meanwhile).
  void commit();

  /// Throws as the constructor does.
  static void check_free(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
};

}  // namespace huddle::files
