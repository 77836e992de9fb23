#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "profiles/formats/profile/profile.hpp"
#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {

/// Why the profile is refused, whose file is called "p"; empty if it is read.
inline std::string profile_refusal(std::string_view bytes) {
  return error_of<FormatError>([&] { parse_profile(bytes, "p"); });
}

/// That the sample with one field broken is refused by that field's name.
inline void check_refused(const BrokenField& broken) {
  CAPTURE(broken.pointer);
  CAPTURE(broken.value);
  const std::string document = with_field(text_of(sample_profile()), broken.pointer, broken.value);
  CHECK(profile_refusal(document) == message_of(broken, "p"));
}

}  // namespace huddle
