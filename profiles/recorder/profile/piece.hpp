#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile_encoding.hpp"

namespace huddle::recorder {

/// One rank's part of a profile on its way to who writes the file.
struct Piece {
  /// encode_rank_record(); empty if the rank can't tell what it did.
  std::string record;
  /// encode_shared_tables().
  std::string shared;

  /// As one text, and back. The second throws FormatError naming `origin` if the text is none.
  [[nodiscard]] std::string packed() const;
  static Piece unpacked(std::string_view text, std::string_view origin);
};

/// The shared tables of all pieces. Adding one takes time by its own size.
class CollectedTables {
 public:
  void add(std::string_view encoded);
  /// In the order that a profile has them.
  [[nodiscard]] SharedTables take();

 private:
  SharedTables tables_;
  std::vector<Communicator> communicators_;
};

}  // namespace huddle::recorder
