#pragma once

// The files in which the ranks' pieces wait to become a profile.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"

namespace huddle::recorder {

/// One rank's part of a profile, on its way to the rank that writes the file.
struct Piece {
  /// encode_rank_record(); empty if the rank has lost counts.
  std::string record;
  /// encode_shared_tables().
  std::string shared;

  /// As one text, and back. The second throws FormatError naming `origin` if the text is none.
  [[nodiscard]] std::string packed(std::uint64_t number = 0) const;
  static Piece unpacked(std::string_view text, std::string_view origin);
};

/// Merges the shared tables of all pieces. Adding one takes time in proportion to its own size.
class CollectedTables {
 public:
  void add(std::string_view encoded);
  /// In the order that a profile has them.
  [[nodiscard]] SharedTables take();

 private:
  SharedTables tables_;
  std::vector<Communicator> communicators_;
};

/// kEnded: the run ends here, whatever the other ranks still do.
enum class RunState : bool { kGoesOn, kEnded };

/// An order to make a profile of parts.
struct MergeOrder {
  RunState state = RunState::kGoesOn;
  Encoding encoding = Encoding::kJson;
  /// encode_profile_head(): all but the records and tables.
  std::string head;
};

/// A folder .<profile's name>.parts-<run> with two files for each rank, written in turn, of which
/// one is whole at any moment. Holds its path only: safe from any thread.
class PartsFolder {
 public:
  explicit PartsFolder(std::filesystem::path path) : path_(std::move(path)) {}
  /// The folder of the run `run` whose profile will be `profile`.
  PartsFolder(const std::filesystem::path& profile, std::uint64_t run);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool exists() const;

  /// The name of the profile that a folder of this name has parts of; nothing if it is another one.
  static std::optional<std::string> profile_of(const std::string& name);
  /// True if a file of this name is a rank's.
  static bool is_part(const std::string& name);
  [[nodiscard]] std::filesystem::path file_of(std::uint32_t rank, bool second) const;

  /// Makes the folder, if it is not there. Throws SystemError.
  void make() const;
  /// Writes a file of the folder, whose name is_part(). Throws SystemError.
  static void write(const std::filesystem::path& file, const std::string& text);

  /// Writes `profile` of all parts, in place of an older file of that name. Waits for other
  /// processes of this node that do the same. When the run has ended, removes the folder: of
  /// several ranks that end it, the first one's profile stays, and for the others this does
  /// nothing. Throws Error.
  void merge(const std::filesystem::path& profile, const MergeOrder& order) const;

  /// Leaves an order to whoever takes the parts from here, and reads it: nothing if there is none,
  /// or none of ours. The first throws SystemError.
  void leave_order(const MergeOrder& order) const;
  [[nodiscard]] std::optional<MergeOrder> order() const;
  [[nodiscard]] std::filesystem::path order_file() const;

  /// Removes the folder and what of ours is in it. Throws std::filesystem::filesystem_error if it
  /// can't be listed.
  void remove() const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> ranks() const;
  [[nodiscard]] Piece read(std::uint32_t rank) const;
  void write_profile(const std::filesystem::path& profile, const MergeOrder& order,
                     const std::vector<std::uint32_t>& ranks) const;

  std::filesystem::path path_;
};

}  // namespace huddle::recorder
