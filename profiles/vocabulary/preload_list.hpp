#pragma once

#include <string>
#include <string_view>

namespace huddle {

/// `list`, an LD_PRELOAD value (entries parted by spaces or colons), with `library` in front;
/// unchanged if it is in it.
std::string preload_with(std::string_view list, std::string_view library);

/// `list` without `library`.
std::string preload_without(std::string_view list, std::string_view library);

}  // namespace huddle
