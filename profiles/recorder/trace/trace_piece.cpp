#include "profiles/recorder/trace/trace_piece.hpp"

#include <algorithm>

#include "profiles/recorder/trace/byte_packing.hpp"
#include "profiles/recorder/trace/recorded_parts.hpp"
#include "profiles/traces/event.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {

template <class Struct, class Each>
requires kMaybeConst<Struct, TracePiece>
void for_all_parts(Struct& piece, Each each) {
  each(piece.rank), each(piece.node), each(piece.threads), each(piece.operations);
  each(piece.functions), each(piece.groups), each(piece.communicators), each(piece.windows);
  each(piece.remarks);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, GroupWishes>
void for_all_parts(Struct& wishes, Each each) {
  each(wishes.groups);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, GroupLists>
void for_all_parts(Struct& lists, Each each) {
  each(lists.lists);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, PieceNumbers>
void for_all_parts(Struct& numbers, Each each) {
  each(numbers.functions), each(numbers.communicators), each(numbers.windows), each(numbers.groups);
}

template <class Struct, class Each>
requires kMaybeConst<Struct, PieceResult>
void for_all_parts(Struct& result, Each each) {
  each(result.failure), each(result.events), each(result.has_events), each(result.first);
  each(result.last), each(result.clock_uncertainty_ns), each(result.remarks);
}

namespace {

constexpr std::string_view kPiece = "huddle trace piece 1\n";
constexpr std::string_view kWishes = "huddle trace wishes 1\n";
constexpr std::string_view kLists = "huddle trace groups 1\n";
constexpr std::string_view kNumbers = "huddle trace numbers 1\n";
constexpr std::string_view kResult = "huddle trace result 1\n";

template <class Number>
std::uint64_t hash_of_list(const std::vector<Number>& list) {
  return hash_of({reinterpret_cast<const char*>(list.data()),  // NOLINT: its bytes
                  list.size() * sizeof(Number)});
}

}  // namespace

std::string TracePiece::packed() const {
  return packed_bytes(kPiece, *this);
}
TracePiece TracePiece::unpacked(std::string_view text, std::string_view origin) {
  return unpacked_bytes<TracePiece>(kPiece, text, origin);
}
std::string GroupWishes::packed() const {
  return packed_bytes(kWishes, *this);
}
GroupWishes GroupWishes::unpacked(std::string_view text, std::string_view origin) {
  return unpacked_bytes<GroupWishes>(kWishes, text, origin);
}
std::string GroupLists::packed() const {
  return packed_bytes(kLists, *this);
}
GroupLists GroupLists::unpacked(std::string_view text, std::string_view origin) {
  return unpacked_bytes<GroupLists>(kLists, text, origin);
}
std::string PieceNumbers::packed() const {
  return packed_bytes(kNumbers, *this);
}
PieceNumbers PieceNumbers::unpacked(std::string_view text, std::string_view origin) {
  return unpacked_bytes<PieceNumbers>(kNumbers, text, origin);
}
std::string PieceResult::packed() const {
  return packed_bytes(kResult, *this);
}
PieceResult PieceResult::unpacked(std::string_view text, std::string_view origin) {
  return unpacked_bytes<PieceResult>(kResult, text, origin);
}

std::vector<std::uint32_t> known_ranks(const std::vector<std::uint32_t>& group) {
  std::vector<std::uint32_t> known(group);
  known.erase(std::remove(known.begin(), known.end(), kNobody), known.end());
  return known;
}

TracePiece piece_of(const RecordedTrace& trace, const CallPathFunctions& functions) {
  TracePiece piece;
  piece.rank = trace.rank;
  piece.node = trace.node;
  piece.threads = static_cast<std::uint32_t>(std::max<std::size_t>(trace.threads.size(), 1));
  std::string operations;
  for (const std::string& name : trace.operations) operations.append(name).append("\n");
  piece.operations = hash_of(operations);
  piece.functions = functions.functions;
  for (const auto& group : trace.groups) piece.groups.push_back(hash_of_list(known_ranks(group)));
  piece.communicators = trace.communicators;
  piece.windows = trace.windows;
  piece.remarks = trace.remarks;
  return piece;
}

}  // namespace huddle::recorder
