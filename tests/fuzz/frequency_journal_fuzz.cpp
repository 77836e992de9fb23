#include "spank_plugin/frequency/journal.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any text is a journal that survives being written, or an Error; and it names no control and no
/// value that Huddle could not have written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const frequency::Journal rescued = frequency::readable_part_of(as_text(data, size), "b007");
  demand(frequency::parse_journal(text_of(rescued), "journal") == rescued);
  const auto journal =
      parsed([&] { return frequency::parse_journal(as_text(data, size), "journal"); });
  if (!journal) return 0;
  for (const auto& [saved, value] : journal->controls)
    demand(frequency::plausible(saved.control, value.original) &&
           frequency::plausible(saved.control, value.written));
  for (const auto& [saved, value] : journal->controls)
    demand(value.lowest.empty() ||
           (saved.control == frequency::Control::kMost && value.may_have_written(value.lowest)));
  for (const frequency::Claim& claim : journal->claims) demand(!claim.limits.empty());
  demand(frequency::parse_journal(text_of(*journal), "journal") == *journal);
  return 0;
}
