#pragma once

#include <filesystem>
#include <string>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"

namespace huddle {

/// A profile that is written record by record, so that a run of a million ranks needs the memory of
/// one. Appears whole or not at all (see AtomicFile). Every function throws SystemError. Owned by
/// one thread.
class ProfileFile {
 public:
  /// JSON, or CBOR if `path` ends in .cbor. Of `profile` all but the records and the shared tables
  /// is written.
  ProfileFile(const std::filesystem::path& path, const Profile& profile);
  void add(const RankRecord& record);
  /// Ends the document and gives the file its name. Nothing can be added afterwards.
  void commit(const SharedTables& shared);

 private:
  void write(std::string_view piece);
  void flush();

  files::AtomicFile file_;
  Encoding encoding_;
  bool first_ = true;
  std::string waiting_;  // a system call for each record would take longer than encoding it
};

}  // namespace huddle
