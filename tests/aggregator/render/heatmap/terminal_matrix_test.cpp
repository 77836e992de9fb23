#include "aggregator/render/heatmap/terminal_matrix.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "aggregator/render/heatmap/colour_scale.hpp"

namespace huddle {
namespace {

// Rank i sends 4^i bytes to the next one.
Profile ring(std::uint32_t ranks) {
  Profile profile;
  profile.ranks = ranks;
  profile.rank_records.resize(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    profile.rank_records[rank].rank = Rank{rank};
    profile.rank_records[rank].sent = {
        {Rank{(rank + 1) % ranks}, 1, 1, Bytes{std::uint64_t{1} << (2 * (rank % 16))}}};
  }
  return profile;
}

std::string drawn(const Profile& profile, const TerminalStyle& style) {
  return terminal_matrix(binned_matrix(profile, PairMatrix::kPointToPoint, Weight::kBytes,
                                       most_bins(style, profile.ranks)),
                         Weight::kBytes, style);
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  return longest;
}

TEST_CASE("shades run from the least to the most on a logarithmic scale") {
  CHECK(drawn(ring(3), {}) ==
        "from  0   2 to\n"
        "   0 |  ..  |\n"
        "   1 |    ++|\n"
        "   2 |@@    |\n"
        "1 B .:-=+*#%@ 16 B   log scale; blank: nothing\n");
}

TEST_CASE("ranks share cells where a line is too short, and the legend says so") {
  const std::string text = drawn(ring(64), {40, false, false});
  CHECK(longest_line(text.substr(0, text.rfind('\n', text.size() - 2) + 1)) <= 40);
  CHECK(text.find("a cell is the sum of 4 x 4 ranks") != std::string::npos);
  CHECK(drawn(ring(4), {20, false, false}).find("sum of") == std::string::npos);
}

TEST_CASE("without traffic there is no scale") {
  Profile profile = ring(2);
  for (RankRecord& record : profile.rank_records) record.sent.clear();
  CHECK(drawn(profile, {}) == "from  0 to\n   0 |    |\n   1 |    |\nnothing\n");
}

TEST_CASE("escape sequences are there for a terminal with colours only, and each line ends them") {
  CHECK(drawn(ring(40), {80, false, true}).find('\033') == std::string::npos);
  const std::string text = drawn(ring(40), {80, true, true});
  CHECK(text.find("\033[38;5;") != std::string::npos);
  CHECK(text.find("\033[0m|\n") != std::string::npos);
  CHECK(drawn(ring(40), {80, true, false}).find("▀") == std::string::npos);
}

TEST_CASE("the colours of terminals are the nearest of their cube") {
  CHECK(terminal_colour({0, 0, 0}) == 16);
  CHECK(terminal_colour({255, 255, 255}) == 231);
  CHECK(terminal_colour({90, 140, 250}) == 16 + 36 + 12 + 5);
  CHECK(viridis(0) == Colour{0x44, 0x01, 0x54});
  CHECK(viridis(1) == Colour{0xfd, 0xe7, 0x25});
  CHECK(viridis(0.5) == Colour{0x21, 0x91, 0x8c});
}

}  // namespace
}  // namespace huddle
