#include "profiles/recorder/process/why_not_moved.hpp"

namespace huddle::recorder {

const char* text_of(WhyNotMoved reason) noexcept {
  switch (reason) {
    case WhyNotMoved::kNone:
      break;
    case WhyNotMoved::kTooShort:
      return "the run ended before moving was affordable, or its phases do not come again";
    case WhyNotMoved::kNotTogether:
      return "the ranks of a node were not moved together for a whole phase";
    case WhyNotMoved::kNothingDenser:
      return "a node's ranks do not fit, one to a core, on fewer dies of the same package";
    case WhyNotMoved::kThreads:
      return "a rank that is not bound to one core computes with several threads";
    case WhyNotMoved::kBoundItself:
      return "the program binds itself";
    case WhyNotMoved::kRefused:
      return "the system did not let a rank move";
    case WhyNotMoved::kNoTopology:
      return "Linux does not tell the cores and dies of a node";
    case WhyNotMoved::kNoSharedMemory:
      return "the ranks of a node could not share memory";
    case WhyNotMoved::kSharedNode:
      return "the job does not have a node alone, or its ranks were bound on purpose";
  }
  return "";
}

}  // namespace huddle::recorder
