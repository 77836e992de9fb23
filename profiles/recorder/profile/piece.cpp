#include "profiles/recorder/profile/piece.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {
namespace {

// In front of the two texts; processes of one run exchange it, on machines of one kind.
struct Header {
  std::uint64_t record = 0;
  std::uint64_t shared = 0;
  std::uint64_t hash = 0;
};

}  // namespace

std::string Piece::packed() const {
  const Header header{record.size(), shared.size(), hash_of(record) ^ hash_of(shared)};
  std::string text(sizeof header, '\0');
  std::memcpy(text.data(), &header, sizeof header);
  return text += record, text += shared;
}

Piece Piece::unpacked(std::string_view text, std::string_view origin) {
  Header header;
  const auto refuse = [&](std::string_view found) {
    throw FormatError(origin, "the piece", found, "a rank's whole record");
  };
  if (text.size() < sizeof header) refuse(fmt::format("{} bytes", text.size()));
  std::memcpy(&header, text.data(), sizeof header);
  text.remove_prefix(sizeof header);
  if (header.record > text.size() || header.shared != text.size() - header.record)
    refuse(fmt::format("{} bytes", text.size()));
  Piece piece{std::string(text.substr(0, header.record)), std::string(text.substr(header.record))};
  if ((hash_of(piece.record) ^ hash_of(piece.shared)) != header.hash)
    refuse("content that was being written");
  return piece;
}

// Each communicator comes from one rank: no need to look for it among the others each time.
void CollectedTables::add(std::string_view encoded) {
  SharedTables tables = decode_shared_tables(encoded);
  std::move(tables.communicators.begin(), tables.communicators.end(),
            std::back_inserter(communicators_));
  tables.communicators.clear();
  tables_.merge(tables);
}

SharedTables CollectedTables::take() {
  const auto by_id = [](const Communicator& a, const Communicator& b) { return a.id < b.id; };
  const auto same = [](const Communicator& a, const Communicator& b) { return a.id == b.id; };
  std::sort(communicators_.begin(), communicators_.end(), by_id);
  communicators_.erase(std::unique(communicators_.begin(), communicators_.end(), same),
                       communicators_.end());
  tables_.communicators = std::move(communicators_);
  return std::move(tables_);
}

}  // namespace huddle::recorder
