#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::frequency {

/// The journal stays locked by another process.
class JournalLocked : public Error {
 public:
  using Error::Error;
};

/// The directory on a node that holds the journal of frequencies, locked against every other hook.
/// Must be a directory of the user that runs (root), which nobody else may read, write to or enter;
/// no link is followed in it, nor as its last component. Owned by one thread. The lock ends with
/// the object, and with the process.
class JournalDirectory {
 public:
  enum class IfAbsent : std::uint8_t {
    kMake,   ///< with mode 0700; its parent must exist
    kLeave,  ///< then there is no journal either
  };

  /// Waits for the lock until `patience` is over. Nothing if there is no such directory and it is
  /// left so. Throws SystemError, Error if it is somebody else's, or JournalLocked.
  static std::optional<JournalDirectory> open(const std::filesystem::path& path, IfAbsent if_absent,
                                              std::chrono::milliseconds patience);

  /// Without the lock, for reading only: a journal is replaced whole, so what is read is one that
  /// was complete. Nothing if there is no such directory. Throws SystemError or Error.
  static std::optional<JournalDirectory> open_unlocked(const std::filesystem::path& path);

  /// The path of the journal, for messages.
  [[nodiscard]] std::filesystem::path file() const;
  /// Nothing if there is none. Throws SystemError, or Error if it is too large or no regular file.
  [[nodiscard]] std::optional<std::string> read() const;
  /// Replaces the journal; once this returns it outlives a crash of the machine. Throws
  /// SystemError, or Error for more than kMostJournalBytes; the old one is as it was then.
  void write(std::string_view text) const;
  /// Removes the journal, if there is one. Throws SystemError.
  void remove() const;
  /// Keeps the journal under another name, for people to look at, and returns that. Throws
  /// SystemError.
  std::filesystem::path set_aside() const;

 private:
  JournalDirectory(std::filesystem::path path, files::OwnedDescriptor directory)
      : path_(std::move(path)), directory_(std::move(directory)) {}

  std::filesystem::path path_;
  files::OwnedDescriptor directory_;
};

}  // namespace huddle::frequency
