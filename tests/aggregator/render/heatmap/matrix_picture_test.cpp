#include "aggregator/render/heatmap/matrix_picture.hpp"

#include <doctest/doctest.h>

#include "aggregator/render/heatmap/detail/svg_canvas.hpp"

namespace huddle::render {
namespace {

Profile ranks_on(const std::vector<std::string>& nodes) {
  Profile profile;
  profile.label = "halo";
  profile.ranks = static_cast<std::uint32_t>(nodes.size());
  profile.rank_records.resize(nodes.size());
  for (std::uint32_t rank = 0; rank < profile.ranks; ++rank) {
    profile.rank_records[rank].rank = Rank{rank};
    profile.rank_records[rank].node = nodes[rank];
    profile.rank_records[rank].sent = {{Rank{0}, 5, 2, Bytes{20}}};
  }
  return profile;
}

using Ranks = std::vector<std::uint32_t>;

TEST_CASE("lines part the nodes where each holds ranks one after the other") {
  CHECK(node_borders(ranks_on({"a", "a", "b", "c", "c"})) == Ranks{2, 3});
  CHECK(node_borders(ranks_on({"a", "a"})).empty());
  CHECK(node_borders(ranks_on({"a", "b", "c"})).empty());
  CHECK(node_borders(ranks_on({"a", "b", "a", "b"})).empty());
  CHECK(node_borders(ranks_on({"", "", ""})).empty());
  Profile cut = ranks_on({"a", "a", "b"});
  cut.complete = false;
  CHECK(node_borders(cut).empty());
}

TEST_CASE("an SVG names what it shows, and no name of a stranger's becomes markup") {
  Profile profile = ranks_on({"a", "a", "b"});
  profile.label = "<script>&\033[31m";
  const std::string svg =
      svg_of(matrix_picture(profile, PairMatrix::kPointToPoint, commgraph::Weight::kBytes));
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("&lt;script&gt;&amp;?[31m") != std::string::npos);
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find("bytes sent point to point, 3 ranks") != std::string::npos);
  CHECK(svg.find("borders of nodes") != std::string::npos);
  // Three cells in one column, all of the one value there is.
  CHECK(svg.find("d=\"M0 0h1v1h-1zM0 1h1v1h-1zM0 2h1v1h-1z\"/>") != std::string::npos);
}

TEST_CASE("runs of equal cells are one piece of an SVG's path") {
  SvgCanvas canvas(10, 10);
  canvas.grid(1, 2, 3, {2, {1, 1, 0, 2}, {kWhite, kBlack, kGrey}});
  const std::string svg = canvas.document();
  CHECK(svg.find("translate(1 2) scale(3)") != std::string::npos);
  CHECK(svg.find("d=\"M0 0h2v1h-2z\"") != std::string::npos);
  CHECK(svg.find("d=\"M1 1h1v1h-1z\"") != std::string::npos);
}

TEST_CASE("a picture of very many ranks, and of none that sends, is of bounded size") {
  Profile profile = ranks_on({"a"});
  profile.ranks = 1U << 20U;
  profile.complete = false;
  const MatrixPicture large =
      matrix_picture(profile, PairMatrix::kPointToPoint, commgraph::Weight::kBytes);
  CHECK(large.matrix.bins == 512);
  CHECK(large.subtitle == "bytes sent point to point, 1048576 ranks, a cell is 2048 x 2048");
  CHECK_NOTHROW(svg_of(large));
  const MatrixPicture none =
      matrix_picture(profile, PairMatrix::kOneSided, commgraph::Weight::kBytes);
  CHECK(svg_of(none).find("<path") == std::string::npos);
}

}  // namespace
}  // namespace huddle::render
