#include "tests/evaluation/program.hpp"

namespace huddle::evaluation {
namespace {

// The rows of numbers are in the order of Computation's and Exchange's members.

Program bt() {
  return {
      .name = "bt-like",
      .steps = {{{34e6, 0.72, 0.013, 0.16, 0.7, 18e6, 1.4, 84, 5}, {Shape::kHalo3d, 180e3, 0.2, 1}},
                {{42e6, 0.66, 0.009, 0.1, 0.6, 7e6, 2, 86, 5}, {Shape::kHalo2d, 120e3, 0, 1}},
                {{8e6, 0.7, 0.02, 0.4, 0.9, 30e6, 1, 90, 8}, {Shape::kHalo2d, 60e3, 0, 1}}},
      .imbalance = 0.01,
      .iterations = 250,
      .resident_bytes = 700e6};
}

Program cg() {
  return {.name = "cg-like",
          .steps = {{{30e6, 0.85, 0.031, 0.3, 0.9, 34e6, 1.1, 69, 4.5},
                     {Shape::kButterfly, 75e3, 0, 1}},
                    {{3e6, 0.7, 0.03, 0.5, 0.95, 9e6, 1.3, 80, 9}, {Shape::kAllreduce, 8, 0, 1}}},
          .imbalance = 0.02,
          .iterations = 400,
          .resident_bytes = 600e6};
}

Program ep() {
  return {
      .name = "ep-like",
      .steps = {{{150e6, 0.88, 0.0004, 0.03, 0.4, 0.9e6, 2, 64, 2}, {Shape::kAllreduce, 80, 0, 1}}},
      .imbalance = 0.01,
      .iterations = 100,
      .resident_bytes = 60e6};
}

Program ft() {
  return {
      .name = "ft-like",
      .steps = {{{48e6, 0.68, 0.015, 0.35, 0.85, 55e6, 1.1, 100, 7},
                 {Shape::kAllToAll, 260e3, 0, 1}},
                {{12e6, 0.75, 0.025, 0.7, 0.95, 100e6, 1, 128, 9}, {Shape::kAllreduce, 16, 0, 1}}},
      .imbalance = 0.005,
      .iterations = 150,
      .resident_bytes = 900e6};
}

Program is() {
  return {
      .name = "is-like",
      .steps = {{{9e6, 1.0, 0.026, 0.25, 0.9, 20e6, 1, 80, 2.5}, {Shape::kAllreduce, 4096, 0, 1}},
                {{4e6, 0.8, 0.03, 0.6, 0.95, 40e6, 1, 96, 6}, {Shape::kAllToAll, 70e3, 0, 1}}},
      .imbalance = 0.02,
      .iterations = 200,
      .resident_bytes = 400e6};
}

Program lu() {
  return {
      .name = "lu-like",
      .steps = {{{52e6, 0.74, 0.012, 0.18, 0.8, 16e6, 1.5, 82, 4}, {Shape::kWavefront, 9e3, 0, 8}},
                {{26e6, 0.7, 0.016, 0.3, 0.85, 28e6, 1.2, 88, 6}, {Shape::kHalo2d, 140e3, 0, 1}}},
      .imbalance = 0.01,
      .iterations = 250,
      .resident_bytes = 600e6};
}

Program mg() {
  return {
      .name = "mg-like",
      .steps = {{{30e6, 0.65, 0.027, 0.6, 0.95, 110e6, 1, 94, 9}, {Shape::kHalo3d, 220e3, 0, 1}},
                {{6e6, 0.7, 0.02, 0.15, 0.8, 12e6, 1.5, 80, 7}, {Shape::kHalo3d, 50e3, 0, 1}},
                {{1e6, 0.8, 0.012, 0.05, 0.6, 1.5e6, 2, 72, 4}, {Shape::kHalo3d, 9e3, 0, 1}},
                {{0.4e6, 0.8, 0.01, 0.05, 0.5, 0.4e6, 2, 64, 4}, {Shape::kAllreduce, 8, 0, 1}}},
      .imbalance = 0.01,
      .iterations = 250,
      .resident_bytes = 900e6};
}

Program sp() {
  return {
      .name = "sp-like",
      .steps = {{{28e6, 0.7, 0.022, 0.45, 0.9, 46e6, 1.1, 92, 7}, {Shape::kHalo3d, 210e3, 0.1, 1}},
                {{20e6, 0.76, 0.018, 0.3, 0.85, 20e6, 1.3, 88, 5}, {Shape::kHalo2d, 90e3, 0, 1}}},
      .imbalance = 0.01,
      .iterations = 400,
      .resident_bytes = 600e6};
}

Program amg() {
  return {
      .name = "amg-like",
      .steps = {{{24e6, 0.9, 0.029, 0.4, 0.95, 70e6, 0.9, 70, 3.5}, {Shape::kHalo3d, 70e3, 0.3, 1}},
                {{7e6, 0.95, 0.022, 0.15, 0.85, 10e6, 1.2, 68, 2.5}, {Shape::kHalo3d, 14e3, 0, 1}},
                {{2e6, 0.9, 0.014, 0.06, 0.7, 2.2e6, 1.8, 66, 2}, {Shape::kAllreduce, 24, 0, 1}}},
      .imbalance = 0.05,
      .iterations = 300,
      .resident_bytes = 800e6};
}

Program lulesh() {
  return {.name = "lulesh-like",
          .steps = {{{46e6, 0.82, 0.0095, 0.2, 0.75, 14e6, 1.5, 90, 4},
                     {Shape::kHalo3d, 130e3, 0.4, 1}},
                    {{22e6, 0.9, 0.012, 0.25, 0.8, 22e6, 1.2, 84, 5}, {Shape::kHalo3d, 40e3, 0, 1}},
                    {{6e6, 0.8, 0.008, 0.1, 0.6, 6e6, 1.5, 72, 3}, {Shape::kAllreduce, 8, 0, 1}}},
          .imbalance = 0.04,
          .iterations = 250,
          .resident_bytes = 500e6};
}

Program spectral_2d() {
  return {
      .name = "spectral-like",
      .steps = {{{38e6, 0.62, 0.011, 0.08, 0.7, 4.5e6, 2.2, 88, 6},
                 {Shape::kRowsAllToAll, 120e3, 0, 1}},
                {{16e6, 0.7, 0.018, 0.4, 0.9, 30e6, 1, 100, 8}, {Shape::kAllreduce, 120e3, 0, 1}}},
      .imbalance = 0.01,
      .iterations = 250,
      .resident_bytes = 300e6};
}

// The same program with ranks that have very different amounts to compute.
Program uneven(Program program, const char* name, double imbalance) {
  program.name = name;
  program.imbalance = imbalance;
  return program;
}

}  // namespace

std::vector<Program> test_programs() {
  return {cg(),
          ep(),
          ft(),
          lu(),
          mg(),
          bt(),
          is(),
          sp(),
          amg(),
          lulesh(),
          spectral_2d(),
          uneven(mg(), "mg-uneven", 0.25),
          uneven(is(), "is-uneven", 0.3),
          uneven(lu(), "lu-uneven", 0.2)};
}

}  // namespace huddle::evaluation
