#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::imports {

/// A text and what errors call it.
struct NamedText {
  std::string_view text;
  std::string_view file;
};

/// Makes a profile of point-to-point matrices: N lines of N whole numbers with commas between, row
/// = sender, column = receiver, as `huddle show --matrix` and many other tools write them. `bytes`
/// holds bytes, `counts` numbers of messages. Without `counts`, each pair's bytes count as one
/// message. Blanks around numbers and empty lines at the end are accepted.
///
/// The profile's `notes` say what it lacks; its label is empty. Memory grows with the files, never
/// with N x N beyond them.
///
/// Throws FormatError with line and column if a line holds anything else or another number of
/// numbers than the first, there are more or fewer lines than that, bytes have no message, there
/// are more than 65,536 ranks, or all numbers of a file sum to 2^63 or more.
Profile parse_matrix_csv(const NamedText& bytes, const std::optional<NamedText>& counts = {});

/// The same from files of at most 8 GiB; no counts if `counts` is empty. Throws SystemError, too,
/// and Error if a file is larger or not a regular file.
Profile import_matrix_csv(const std::filesystem::path& bytes,
                          const std::filesystem::path& counts = {});

}  // namespace huddle::imports
