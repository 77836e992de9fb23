#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes, in any pieces, are requests that survive their own text, or an Error; and so is any
/// text an order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const std::string_view text = as_text(data, size);
  if (const auto order = parsed([&] { return chooser::parse_choice_order(text); })) {
    demand(order->bound >= 0 && order->bound <= 1 && order->machine.starts_with('/'));
    demand(chooser::parse_choice_order(text_of(*order)) == *order);
  }
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 16;
  static_cast<void>(parsed([&] {
    chooser::ChoiceRequestReader reader;
    std::size_t taken = 0;
    for (std::size_t at = 0; at < size; at += piece) {
      reader.add(text.substr(at, piece));
      while (const auto request = reader.take()) {
        taken += text_of(*request).size();
        chooser::ChoiceRequestReader again;
        again.add(text_of(*request));
        const auto same = again.take();
        demand(same && same->number == request->number && same->document == request->document);
      }
    }
    return taken;
  }));
  return 0;
}
