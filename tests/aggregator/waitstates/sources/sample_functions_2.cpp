// Another function of the same name as one in sample_functions.cpp.

namespace {

int twice(int value) {
  return value + value;
}

}  // namespace

int of_other_source() {
  return twice(3);
}
