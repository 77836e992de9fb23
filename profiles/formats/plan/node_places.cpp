#include "profiles/formats/plan/node_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Takes a number and the character behind it off the front of `text`.
std::uint32_t take_number(std::string_view& text, char end) {
  std::uint32_t number = 0;
  const auto [behind, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto size = static_cast<std::size_t>(behind - text.data());
  if (failure != std::errc{} || size == text.size() || *behind != end)
    throw Error(fmt::format("expected a number in the places of a node, found \"{}\"",
                            shortened(std::string(text))));
  text.remove_prefix(size + 1);
  return number;
}

}  // namespace

NodePlaces parse_node_places(std::string_view plan, std::string_view file, std::uint32_t rank) {
  const Document document = Document::parse(plan, file, Plan::kFormat, Plan::kVersion);
  const Field root = document.root();
  NodePlaces places;
  places.ranks = root.at("ranks").unsigned_32();
  const Field nodes = root.at("placement").at("node");
  const Field pus = root.at("placement").at("pus");
  for (const Field& column : {nodes, pus})
    if (column.array_size() != places.ranks)
      column.fail(fmt::format("an array of {}, one for each rank", places.ranks));
  if (rank >= places.ranks) return places;
  const std::uint32_t here = nodes.element(rank).unsigned_32();
  std::uint32_t other = 0;
  nodes.for_each([&](const Field& node) {
    if (node.unsigned_32() == here) places.pus.emplace_back(other, pus.element(other).text());
    ++other;
  });
  return places;
}

std::string text_of(const NodePlaces& places) {
  std::string text = fmt::format("{}\n", places.ranks);
  for (const auto& [rank, pus] : places.pus) text += fmt::format("{} {}\n", rank, pus);
  return text;
}

NodePlaces node_places_of(std::string_view text) {
  NodePlaces places;
  places.ranks = take_number(text, '\n');
  while (!text.empty()) {
    const std::uint32_t rank = take_number(text, ' ');
    const std::size_t end = std::min(text.find('\n'), text.size());
    places.pus.emplace_back(rank, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return places;
}

}  // namespace huddle
