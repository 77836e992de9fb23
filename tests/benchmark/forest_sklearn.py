#!/usr/bin/python3
"""scikit-learn's random forest on the rows that forest_table wrote, for tests/benchmark/forest_libraries.

forest_sklearn.py FOLDER TREES PER_SPLIT LEAF THREADS: prints a line of the table.
"""
import sys
import time

import numpy
from sklearn.ensemble import RandomForestRegressor

folder = sys.argv[1]
trees, per_split, leaf, threads = map(int, sys.argv[2:6])
values = numpy.fromfile(folder + "/values")
features = numpy.fromfile(folder + "/features").reshape(-1, len(values)).T
training = numpy.fromfile(folder + "/training", dtype=numpy.uint32)
others = numpy.fromfile(folder + "/others", dtype=numpy.uint32)

forest = RandomForestRegressor(
    n_estimators=trees, max_features=per_split, min_samples_leaf=leaf, n_jobs=threads, random_state=1
)
begin = time.perf_counter()
forest.fit(features[training], values[training])
grown = time.perf_counter()
foretold = forest.predict(features[others])
end = time.perf_counter()
off = values[others] - foretold
r2 = 1 - (off**2).sum() / ((values[others] - values[others].mean()) ** 2).sum()
print(f"{'scikit-learn':<28}{grown - begin:>10.3f}{end - grown:>12.3f}{100 * r2:>10.3f}")
