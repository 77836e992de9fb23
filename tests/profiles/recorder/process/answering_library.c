/* A library whose function another library calls, for redirected_calls_test.cpp. */
int huddle_test_answer(void);

int huddle_test_answer(void) {
  return 1;
}
