#include "profiles/formats/outcome/control_draw.hpp"

#include "profiles/vocabulary/hash.hpp"

namespace huddle {
namespace {

// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), since the high bits of FNV-1a are
// alike for texts that differ in their last characters.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31U);
}

}  // namespace

double lot_of(std::string_view seed, std::string_view ticket) {
  std::string text(seed);
  text += '\n';
  text += ticket;
  constexpr double kTwoTo53 = 9007199254740992.0;
  return static_cast<double>(mixed(hash_of(text)) >> 11U) / kTwoTo53;
}

}  // namespace huddle
