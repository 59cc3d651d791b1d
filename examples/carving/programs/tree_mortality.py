"""How well the climate of the last years and the terrain tell which trees die: a linear model, judged
on the part of the land that it has not seen.

It needs most of the climate, but neither snow nor light, and of the survey only how much is dead.

Usage: tree_mortality.py RESULT CLIMATE MORTALITY TERRAIN
"""

import sys
from contextlib import ExitStack

import numpy as np
import xarray

CLIMATE = ("ppt", "tmax", "tmin", "vpd", "pet")
BACK = 3  # years


def features_of(climate, terrain, year):
    for name in CLIMATE:
        for back in range(BACK):
            yield climate[name].sel(year=year - back).values.ravel()
    for name in ("elevation", "northness"):
        yield terrain[name].values.ravel()


def main():
    result, *files = sys.argv[1:]
    with ExitStack() as stack:
        climate, mortality, terrain = (stack.enter_context(xarray.open_dataset(f)) for f in files)
        years = mortality["year"].values[BACK - 1 :]
        known = np.concatenate(
            [np.stack([*features_of(climate, terrain, year)], axis=-1) for year in years]
        )
        dead = mortality["dead_fraction"].sel(year=years).values.ravel()
        fold = np.tile(mortality["fold"].values.ravel(), len(years))

    good = ~np.isnan(dead)
    known, dead, fold = known[good].astype("f8"), dead[good].astype("f8"), fold[good]
    known = np.column_stack([known, np.ones(len(known))])
    parts = [(known[fold == number], dead[fold == number]) for number in range(5)]
    squares = [features.T @ features for features, _ in parts]
    products = [features.T @ target for features, target in parts]
    scores, models = [], []
    for number, (features, target) in enumerate(parts):
        model = np.linalg.solve(sum(squares) - squares[number], sum(products) - products[number])
        scores.append(1 - (target - features @ model).var() / target.var())
        models.append(model)

    xarray.Dataset(
        {"r2": ("fold", scores), "coefficients": (("fold", "feature"), np.array(models))}
    ).to_netcdf(result)
    print(f"{len(dead)} cells and years, {known.shape[1]} features")
    print("r2 " + " ".join(f"{score:.6f}" for score in scores))


if __name__ == "__main__":
    main()
