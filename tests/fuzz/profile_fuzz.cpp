#include "profiles/formats/profile.hpp"

#include "profiles/formats/profile_encoding.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace huddle {
namespace {

std::string text_of(const Profile& profile, Encoding encoding) {
  std::string text = encode_profile_head(profile, encoding);
  for (std::size_t i = 0; i < profile.rank_records.size(); ++i) {
    if (i > 0) text += rank_record_separator(encoding);
    text += encode_rank_record(profile.rank_records[i], encoding);
  }
  return text.append(encode_profile_tail(encoding));
}

void check(const Profile& profile) {
  demand(!profile.complete || profile.rank_records.size() == profile.ranks);
  for (const RankRecord& record : profile.rank_records) {
    demand(record.rank.value < profile.ranks);
    for (const SentMessages& cell : record.sent) demand(cell.receiver.value < profile.ranks);
  }
  for (const Encoding encoding : {Encoding::kJson, Encoding::kCbor}) {
    const std::string text = text_of(profile, encoding);
    demand(text_of(parse_profile(text, "again"), encoding) == text);
  }
}

}  // namespace
}  // namespace huddle

/// Any bytes are a profile that keeps its promises and survives both encodings, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  if (const auto profile = parsed([&] { return parse_profile(as_text(data, size), "fuzz"); }))
    check(*profile);
  return 0;
}
