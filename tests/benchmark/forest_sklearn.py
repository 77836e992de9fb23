#!/usr/bin/python3
"""scikit-learn's random forest on the rows that forest_table wrote, for tests/benchmark/forest_libraries.

forest_sklearn.py FOLDER TREES PER_SPLIT LEAF THREADS SEEDS: prints a line of the table.
"""
import sys
import time

import numpy
from sklearn.ensemble import RandomForestRegressor

folder = sys.argv[1]
trees, per_split, leaf, threads, seeds = map(int, sys.argv[2:7])
values = numpy.fromfile(folder + "/values")
features = numpy.fromfile(folder + "/features").reshape(-1, len(values)).T
training = numpy.fromfile(folder + "/training", dtype=numpy.uint32)
others = numpy.fromfile(folder + "/others", dtype=numpy.uint32)

growing, predicting, r2 = [], [], []
for seed in range(1, seeds + 1):
    forest = RandomForestRegressor(
        n_estimators=trees, max_features=per_split, min_samples_leaf=leaf, n_jobs=threads, random_state=seed
    )
    begin = time.perf_counter()
    forest.fit(features[training], values[training])
    grown = time.perf_counter()
    predicted = forest.predict(features[others])
    predicting.append(time.perf_counter() - grown)
    growing.append(grown - begin)
    off = values[others] - predicted
    r2.append(1 - (off**2).sum() / ((values[others] - values[others].mean()) ** 2).sum())
print(f"{'scikit-learn':<28}{min(growing):>10.3f}{min(predicting):>12.3f}{100 * sum(r2) / seeds:>10.3f}")
