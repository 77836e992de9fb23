#include "aggregator/waitstates/cubex/detail/tar_archive.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 33U;

void put(std::string& header, std::size_t at, std::string_view text) {
  header.replace(at, text.size(), text);
}

std::string header_of(const std::string& name, std::uint64_t bytes) {
  constexpr std::size_t kChecksum = 148;
  std::string header(kBlock, '\0');
  put(header, 0, name);
  put(header, 100, "0000644");
  put(header, 108, "0000000");
  put(header, 116, "0000000");
  put(header, 124, fmt::format("{:011o}", bytes));
  put(header, 136, "00000000000");
  put(header, kChecksum, "        ");
  put(header, 156, "0");
  put(header, 257,
      std::string_view("ustar\0"
                       "00",
                       8));
  const unsigned sum = std::accumulate(
      header.begin(), header.end(), 0U,
      [](unsigned before, char byte) { return before + static_cast<unsigned char>(byte); });
  put(header, kChecksum, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

}  // namespace

void TarArchive::begin(const std::string& name, std::uint64_t bytes) {
  if (bytes >= kTooLarge)
    throw Error(fmt::format("{} would have {} bytes, and an archive's files have less than 8 GiB",
                            name, bytes));
  name_ = name;
  expected_ = bytes;
  written_ = 0;
  file_.write(header_of(name, bytes));
}

void TarArchive::append(std::string_view bytes) {
  written_ += bytes.size();
  file_.write(bytes);
}

void TarArchive::end() {
  if (written_ != expected_)
    throw Error(
        fmt::format("{} has {} bytes instead of the {} announced", name_, written_, expected_));
  file_.write(std::string((kBlock - written_ % kBlock) % kBlock, '\0'));
}

void TarArchive::finish() {
  file_.write(std::string(2 * kBlock, '\0'));
}

}  // namespace huddle
