#pragma once

// Internal to the reader of measured rows.

#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// Whether a line ends within a quoted field, so that its record goes on in the next line (RFC
/// 4180). A quote opens a field only where one begins. `separator` 0: any of , ; | blank and tab.
bool ends_in_quotes(std::string_view line, char separator);

/// The first field of what is left of a record, as it stands there; takes it and the separator
/// behind it away from `rest`. A separator of ' ' is any run of blanks and tabs. `more` says
/// whether there was a separator.
std::string_view take_field(std::string_view& rest, char separator, bool& more);

/// All fields of a record, as they stand there. A blank record has none.
std::vector<std::string_view> fields_of(std::string_view record, char separator);

/// A field without blanks around it and without its quotes. `buffer` keeps the text where it is not
/// in the field itself: where quotes are doubled.
std::string_view content_of(std::string_view field, std::string& buffer);

}  // namespace huddle
