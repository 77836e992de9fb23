#include "profiles/hardware/power/sensor.hpp"

namespace huddle::power {

std::string_view name_of(Covers covers) {
  switch (covers) {
    case Covers::kNode:
      return "node";
    case Covers::kPlatform:
      return "platform";
    case Covers::kPackage:
      return "package";
    case Covers::kCores:
      return "cores";
    case Covers::kGraphics:
      return "graphics";
    case Covers::kMemory:
      return "memory";
    case Covers::kAccelerator:
      return "accelerator";
    case Covers::kOther:
      break;
  }
  return "other";
}

std::string_view name_of(Quantity quantity) {
  return quantity == Quantity::kEnergy ? "energy" : "power";
}

}  // namespace huddle::power
