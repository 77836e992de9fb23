#pragma once

#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace huddle::test {

/// The output of a call to file descriptor 1 or 2 of this process, libraries beneath it included.
template <class Call>
std::string output_of(int descriptor, const Call& call) {
  std::FILE* const caught = std::tmpfile();
  if (caught == nullptr) throw std::runtime_error("no temporary file");
  std::fflush(nullptr);
  const int saved = dup(descriptor);
  dup2(fileno(caught), descriptor);
  call();
  std::fflush(nullptr);
  dup2(saved, descriptor);
  close(saved);
  std::rewind(caught);
  std::string text;
  for (int c = std::fgetc(caught); c != EOF; c = std::fgetc(caught)) text += static_cast<char>(c);
  std::fclose(caught);
  return text;
}

}  // namespace huddle::test
