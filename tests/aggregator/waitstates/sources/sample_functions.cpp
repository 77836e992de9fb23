// Functions that a test looks up in this program's debug information.

namespace {

int twice(int value) {  // here: (anonymous namespace)::twice(int)
  return 2 * value;
}

}  // namespace

namespace sample {

struct Solver {
  int step(int value);
};

int Solver::step(int value) {  // here: sample::Solver::step(int)
  return twice(value) + 1;
}

template <class Value>
Value larger(Value a, Value b) {  // here: int sample::larger<int>(int, int)
  return a < b ? b : a;
}

template int larger<int>(int, int);

}  // namespace sample

extern "C" int plain_function(int value) {  // here: plain_function
  return value - 1;
}

int of_other_source();

int main(int argc, char**) {  // here: main
  sample::Solver solver;
  return solver.step(argc) + sample::larger(argc, 1) + plain_function(argc) + of_other_source();
}
