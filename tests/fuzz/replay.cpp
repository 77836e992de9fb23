// Gives a fuzz target all files of a folder: as they are, cut short, and with bytes changed, always the same ones. It finds what
// breaks at once, without libFuzzer and its compiler; the preset "fuzz" searches on.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kCuts = 32;
constexpr int kChanged = 64;

// From memory of its own size, so that a read behind its end is one behind an allocation's.
void give(const Bytes& input) {
  const Bytes copy(input.begin(), input.end());
  LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

void give_all_forms(const Bytes& whole) {
  give(whole);
  const std::size_t step = std::max<std::size_t>(whole.size() / kCuts, 1);
  for (std::size_t size = 0; size < whole.size(); size += step)
    give(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
  std::mt19937 random(static_cast<unsigned>(whole.size()));
  for (int i = 0; i < kChanged && !whole.empty(); ++i) {
    Bytes changed = whole;
    for (int byte = 0; byte <= i % 4; ++byte)
      changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
    give(changed);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::printf("%s\n", entry.path().c_str());
    std::fflush(stdout);  // it is to be seen if the next line is the last one
    give_all_forms(Bytes(std::istreambuf_iterator<char>(file), {}));
    ++files;
  }
  return files > 0 ? 0 : 1;
}
