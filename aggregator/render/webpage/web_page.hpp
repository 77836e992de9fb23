#pragma once

// Internal to pages: brings nlohmann/json.

#include <nlohmann/json.hpp>
#include <string>

#include "aggregator/render/webpage/page_source.hpp"

namespace huddle::render {

/// A page of HTML that needs nothing but itself, and whose script finds `data` in the element
/// "data". Bytes that are no UTF-8 become U+FFFD; numbers that are not finite become null. No text
/// in `data` can become anything but text.
std::string web_page(const PageSource& source, const nlohmann::ordered_json& data);

}  // namespace huddle::render
