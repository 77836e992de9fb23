#pragma once

// Internal to the reader of measured rows.

#include <string_view>

namespace huddle {

/// Throws FormatError if a file that begins so is no text of rows but one of the formats that
/// profilers, spreadsheets and archives have: it names the format, and how rows come from it.
/// `begin` is all of a short file, at least 4 KiB of others.
void refuse_other_formats(std::string_view file, std::string_view begin);

}  // namespace huddle
