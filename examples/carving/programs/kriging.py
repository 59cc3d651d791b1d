"""Ordinary kriging: the best linear estimate between scattered observations."""

import numpy as np

NEIGHBOURS, SAMPLE = 24, 400
STEP = 6  # degrees between points of the grid


def on_sphere(lon, lat):
    """Unit vectors, so that distances know nothing of the date line."""
    lon, lat = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def distances(some, others):
    return np.linalg.norm(some[:, None] - others[None], axis=-1)


def fit(points, values):
    """Sill and range of an exponential variogram, from pairs of some observations."""
    chosen = np.random.default_rng(1).choice(len(values), min(SAMPLE, len(values)), replace=False)
    apart = distances(points[chosen], points[chosen])
    gamma = (values[chosen][:, None] - values[chosen][None]) ** 2 / 2
    bins = np.linspace(0, apart.max() / 2, 13)
    number = np.digitize(apart, bins)
    means = np.array([gamma[number == i].mean() for i in range(1, 13)])
    sill = means.max()
    reached = means >= 0.95 * sill
    return sill, bins[1:][reached][0] / 3


def estimate(points, values, targets):
    """The estimate at each target, from its nearest observations."""
    sill, reach = fit(points, values)
    result = np.empty(len(targets))
    ones = np.ones(NEIGHBOURS + 1)
    for number, target in enumerate(targets):
        apart = np.linalg.norm(points - target, axis=1)
        near = np.argpartition(apart, NEIGHBOURS)[:NEIGHBOURS]
        system = np.pad(sill * (1 - np.exp(-distances(points[near], points[near]) / reach)), (0, 1))
        system[-1, :-1] = system[:-1, -1] = 1
        right = ones.copy()
        right[:-1] = sill * (1 - np.exp(-apart[near] / reach))
        # Observations at one place make the system singular.
        weights = np.linalg.lstsq(system, right, rcond=None)[0][:-1]
        result[number] = weights @ values[near]
    return result


def onto_grid(lon, lat, values):
    """Estimates on a grid of longitudes and latitudes."""
    grid_lon, grid_lat = np.arange(-180, 180, STEP), np.arange(-60, 61, STEP)
    targets = on_sphere(*np.meshgrid(grid_lon, grid_lat)).reshape(-1, 3)
    field = estimate(on_sphere(lon, lat), values, targets)
    return grid_lon, grid_lat, field.reshape(len(grid_lat), len(grid_lon))
