#pragma once

// Predicted figures as they are written for people: the same in plans, tables, and messages.

#include <string>

namespace huddle {

/// A change in percent with its sign: "+2.1" for 0.021, "-71" with no decimals for -0.71. What
/// rounds to zero is "+0.0", never "-0.0".
std::string percent_text(double change, int decimals = 1);

/// The most times that the upper end of an interval may be the lower one: with more between them,
/// neither a number of nodes nor a limit of time could be chosen by it, so it says nothing.
inline constexpr double kWidestInterval = 10;

/// Instead of an interval that says nothing.
inline constexpr const char* kNoUsefulInterval = "no useful interval";

/// True if an interval of times or energies, which are 0 or more, says something; false if an end
/// is no finite number.
bool is_useful_interval(double low, double high);

/// "9.2 to 11.5", or that there is no useful interval.
std::string interval_text(double low, double high);

/// The change from `reference`, above 0, to `low` and to `high`, in percent: "-0.5 to +2.1", or
/// that there is no useful interval.
std::string change_interval_text(double low, double high, double reference);

}  // namespace huddle
