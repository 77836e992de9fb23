#include "profiles/import/blank_profile.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/size_class.hpp"

namespace huddle::imports {

Profile blank_profile(std::uint32_t ranks, std::string_view source) {
  Profile profile;
  profile.ranks = ranks;
  profile.counters_absent_reason = fmt::format("the profile was imported from {}", source);
  profile.notes = {
      fmt::format("Imported from {}: times are not known, and 0 stands for each.", source),
      "On which nodes the ranks ran is not known."};
  profile.rank_records.resize(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) profile.rank_records[rank].rank = Rank{rank};
  return profile;
}

SentMessages messages_of_mean_size(Rank receiver, std::uint64_t messages, Bytes bytes) {
  // Rounded up: a message of less than a byte on average is not an empty one.
  const std::uint64_t mean = bytes.value / messages + (bytes.value % messages == 0 ? 0 : 1);
  return {receiver, size_class_of(mean), messages, bytes};
}

}  // namespace huddle::imports
