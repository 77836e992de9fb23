#include "profiles/traces/read/archive_anchor.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <system_error>

#include "profiles/traces/otf2_format.hpp"
#include "profiles/traces/read/record_fields.hpp"
#include "profiles/traces/read/record_window.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::otf2 {

namespace {

constexpr std::size_t kMostAnchorBytes = 1 << 20;
constexpr std::uint8_t kPlainFiles = 1;  // OTF2_SUBSTRATE_POSIX
constexpr std::uint8_t kCompressionNone = 1;

// OTF2's own limits.
constexpr std::uint64_t kLeastChunk = 256 * 1024;
constexpr std::uint64_t kMostChunk = 16 * 1024 * 1024;

std::uint64_t chunk_bytes(RecordFields& fields, const RecordWindow& window) {
  const std::uint64_t bytes = fields.plain();
  if (bytes < kLeastChunk || bytes > kMostChunk)
    window.fail(fmt::format("chunks of {} bytes", bytes),
                fmt::format("{} to {}", kLeastChunk, kMostChunk));
  return bytes;
}

void take_remarks(RecordFields& fields, Anchor& anchor) {
  constexpr std::size_t kLongest = 300;
  const std::uint32_t properties = fields.plain32();
  for (std::uint32_t i = 0; i < properties && fields.sound(); ++i) {
    const std::string_view name = fields.text();
    const std::string_view value = fields.text();
    if (name.starts_with("HUDDLE::REMARK_")) anchor.remarks.push_back(shortened(value, kLongest));
  }
}

}  // namespace

Anchor read_anchor(const std::filesystem::path& file) {
  RecordWindow window(file);
  if (window.size() > kMostAnchorBytes)
    window.fail(fmt::format("{} bytes", window.size()), "an anchor file of OTF2, which is small");
  window.ensure(static_cast<std::size_t>(window.size()));
  constexpr std::array<std::uint8_t, 5> kMagic = {'O', 'T', 'F', '2', 0};
  const std::uint8_t* begin = window.data();
  if (window.available() < 2 + kMagic.size() || begin[0] != kChunkHeader ||
      (begin[1] != kLittleEndian && begin[1] != kBigEndian) ||
      std::memcmp(begin + 2, kMagic.data(), kMagic.size()) != 0)
    window.fail("something else", "the anchor file of an OTF2 archive");

  RecordFields fields(begin + 2 + kMagic.size(), begin + window.available(),
                      begin[1] == kBigEndian);
  for (int i = 0; i < 5; ++i) fields.byte();  // versions of the format and of the library
  Anchor anchor;
  anchor.event_chunk_bytes = chunk_bytes(fields, window);
  anchor.definition_chunk_bytes = chunk_bytes(fields, window);
  if (const std::uint8_t substrate = fields.byte(); substrate != kPlainFiles)
    window.fail(fmt::format("file substrate {}", substrate),
                "plain files (1); archives in SIONlib's files are not read");
  if (const std::uint8_t compression = fields.byte(); compression > kCompressionNone)
    window.fail(fmt::format("compression {}", compression), "none (1)");
  anchor.locations = fields.plain();
  anchor.definitions = fields.plain();
  for (int i = 0; i < 3; ++i) fields.text();  // machine, program that wrote it, description
  take_remarks(fields, anchor);
  if (!fields.sound()) window.fail("the end of the file", "a whole anchor file of OTF2");
  return anchor;
}

std::filesystem::path find_anchor(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  std::filesystem::path found;
  std::filesystem::directory_iterator entries(path, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (entries->path().extension() != ".otf2") continue;
    if (!found.empty())
      throw FormatError(
          path.string(), "the folder",
          fmt::format("{} and {}", found.filename().string(), entries->path().filename().string()),
          "one archive; name the file that is meant");
    found = entries->path();
  }
  if (error) throw SystemError("read", path.string(), error.value());
  if (found.empty())
    throw FormatError(path.string(), "the folder", "no file that ends in .otf2",
                      "an OTF2 archive (traces.otf2, traces.def and the folder traces)");
  return found;
}

}  // namespace huddle::otf2
