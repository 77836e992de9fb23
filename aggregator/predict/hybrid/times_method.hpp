#pragma once

namespace huddle {

/// How the time of a phase on one target follows from its samples.
enum class TimesMethod {
  /// Equations (7) and (8) as they are printed, times in seconds.
  kPublished,
  /// The same with times in units of the first sample's: phases of all lengths count alike.
  kPublishedRelative,
  /// The shapes that agree with the samples (TeamShapes), as likely before as training phases were
  /// like them.
  kShapes,
  /// What shapes say, times a factor whose logarithm is linear in the logarithms of the samples'
  /// ratios and in their event rates: what is left of (7) once the physics is taken out.
  kCorrected,
  /// The geometric mean of what kPublishedRelative and kCorrected say, whose errors have different
  /// causes.
  kAveraged,
};

}  // namespace huddle
