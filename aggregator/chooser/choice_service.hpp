#pragma once

#include <functional>
#include <string>

namespace huddle::chooser {

/// Answers requests that come over `socket`, a stream, until its other end is closed or something
/// comes that is no request: that is answered with kNothingChosen as number 0, and is the last one.
/// While nothing comes it sleeps. True if the other end was closed between two requests.
///
/// `choose` makes an answer of a document, without the end of the line; what it throws becomes
/// kNothingChosen and the reason.
bool serve_choices(int socket, const std::function<std::string(const std::string&)>& choose);

}  // namespace huddle::chooser
