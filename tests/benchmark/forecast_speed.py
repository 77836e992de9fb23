# scikit-learn does what huddle did in forecast_speed: same rows, sampling, trees, leaves and variables to choose from.
# Called by the script forecast_speed with the folder of both; prints the comparison.
import json
import resource
import sys
import time

import numpy
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_predict

folder = sys.argv[1]
ours = json.load(open(f"{folder}/huddle.json"))
columns = numpy.stack([numpy.fromfile(f"{folder}/{i}.f64") for i in range(len(ours["names"]))], axis=1)
target = numpy.fromfile(f"{folder}/target.f64")


def forest(growing, trees=ours["trees"], oob=False):
    return RandomForestRegressor(n_estimators=trees, min_samples_leaf=growing["leaf"], max_features=growing["features"],
                                 oob_score=oob, n_jobs=ours["threads"], random_state=1)


def evenly(count, most):
    return numpy.arange(most) * count // most if count > most else numpy.arange(count)


begin = time.monotonic()
order = numpy.argsort(-target, kind="stable")
features, values = columns[order], target[order]

# Importance, and the variables that help most beside each other.
some = evenly(len(values), 5000)
few = {"leaf": 1, "features": max(3, features.shape[1] // 3)}
model = forest(few).fit(features[some], values[some])
importance = permutation_importance(model, features[some], values[some], n_repeats=1, n_jobs=1, random_state=1).importances_mean
kept = [int(numpy.argmax(importance))]
some = evenly(len(values), 2000)
while len(kept) < 3:
    scores = {}
    for candidate in set(range(features.shape[1])) - set(kept):
        some_features = features[some][:, kept + [candidate]]
        scores[candidate] = forest({"leaf": 1, "features": some_features.shape[1]}, 50, True).fit(some_features, values[some]).oob_score_
    kept.append(max(scores, key=scores.get))

# All variables.
training = numpy.arange(len(values)) % ours["compared"] == 0
model = forest(ours["growing_all"]).fit(features[training], values[training])
all_variables = r2_score(values[~training], model.predict(features[~training]))

# The six samplings, of the variables that huddle kept, so that R^2 can be compared.
names = [variable["variable"] for variable in ours["variables"] if variable["kept"]]
features = features[:, [ours["names"].index(name) for name in names]]
rows = []
for sampling in ours["samplings"]:
    if not sampling["possible"]:
        continue
    training = numpy.arange(len(values)) % sampling["one_in"] == 0
    started = time.monotonic()
    line = LinearRegression().fit(features[training], values[training])
    linear = r2_score(values[~training], line.predict(features[~training]))
    linear_seconds = time.monotonic() - started
    started = time.monotonic()
    refitted = training.sum() <= 3000
    model = forest(sampling["growing"], oob=not refitted).fit(features[training], values[training])
    predicted = model.predict(features[~training])
    seconds = time.monotonic() - started
    if refitted:
        cross_val_predict(forest(sampling["growing"]), features[training], values[training], cv=KFold(5, shuffle=True, random_state=1))
    rows.append((sampling, seconds, linear_seconds, r2_score(values[~training], predicted), linear))
seconds = time.monotonic() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

print(f"{ours['rows']} rows x {len(ours['names'])} variables, {ours['trees']} trees, {ours['threads']} threads; kept: {', '.join(names)}")
print()
print("| learnt from | R^2 % | scikit-learn | linear % | scikit-learn | s | scikit-learn | linear s | scikit-learn |")
print("|---|---|---|---|---|---|---|---|---|")
for sampling, took, linear_took, r2, linear in rows:
    print(f"| 1/{sampling['one_in']}: {sampling['rows']} | {100 * sampling['r2']:.2f} | {100 * r2:.2f} "
          f"| {100 * sampling['linear_r2']:.2f} | {100 * linear:.2f} | {sampling['seconds']:.3f} | {took:.3f} "
          f"| {sampling['linear_seconds']:.4f} | {linear_took:.4f} |")
print()
print(f"All variables, learnt from 1/{ours['compared']}: R^2 {100 * ours['all_variables_r2']:.2f} %, scikit-learn {100 * all_variables:.2f} %")
print(f"Whole procedure: {ours['seconds']:.2f} s, scikit-learn {seconds:.2f} s, {seconds / ours['seconds']:.2f} times as long")
print(f"Peak memory: {ours['peak_mib']:.0f} MiB, scikit-learn {peak:.0f} MiB")
