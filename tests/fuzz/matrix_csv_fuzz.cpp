#include "profiles/import/matrix_csv.hpp"

#include "profiles/formats/profile/profile_encoding.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any text is either a square matrix, or a huddle::Error; what stands behind a '|' is a second
/// file, of counts. The profile it becomes can be written in pieces, and needs no more ranks than
/// the text has characters.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const std::string_view text = as_text(data, size);
  const std::size_t bar = text.find('|');
  std::optional<imports::NamedText> counts;
  if (bar != std::string_view::npos) counts = imports::NamedText{text.substr(bar + 1), "counts"};
  const auto profile = parsed([&] {
    return imports::parse_matrix_csv({text.substr(0, bar), "bytes"}, counts);
  });
  if (!profile) return 0;
  demand(profile->ranks <= size && profile->rank_records.size() == profile->ranks);
  std::uint64_t sum = 0;
  for (const RankRecord& record : profile->rank_records) {
    for (const SentMessages& cell : record.sent) {
      demand(cell.receiver.value < profile->ranks && cell.messages > 0);
      demand(cell.size_class > 0 || cell.bytes.value == 0);
      sum += cell.bytes.value;
    }
    demand(!encode_rank_record(record, Encoding::kJson).empty());
  }
  demand(sum < std::uint64_t{1} << 63U);
  return 0;
}
