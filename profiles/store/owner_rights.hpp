#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace huddle::store {

/// Takes root's rights away from this process as long as it lives, where a folder is not root's
/// own: root reads what is in a user's folder as that user. So no link in it leads to what its
/// owner could not read, and the folder can be read where the file system takes root for nobody.
/// Does nothing for anybody but root. One at a time, and of a process without other threads that
/// need root's rights.
class OwnerRights {
 public:
  /// Takes on the rights of the owner of `folder`, which must not be named by a link; nothing
  /// happens if there is no such folder. Throws SystemError if the rights can't be taken.
  explicit OwnerRights(const std::filesystem::path& folder);
  ~OwnerRights();
  OwnerRights(const OwnerRights&) = delete;
  OwnerRights& operator=(const OwnerRights&) = delete;

 private:
  bool taken_ = false;
  gid_t group_ = 0;
  std::vector<gid_t> groups_;
};

}  // namespace huddle::store
