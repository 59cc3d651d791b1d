"""In which state a molecule is, of which only the force on the tip can be seen: a particle filter.

Of the simulation it needs the forces and where moves lead, not the atoms.

Usage: particle_filter.py RESULT MEASUREMENT SIMULATION
"""

import sys

import h5py
import numpy as np

PARTICLES, NOISE, EXPLORING = 4000, 0.1, 0.05


def main():
    result, measurement, simulation = sys.argv[1:]
    with h5py.File(simulation) as file:
        gradient = file["observables/force_gradient"][...]
        following = file["transitions"][...]
    with h5py.File(measurement) as file:
        moves, seen = file["moves"][...], file["force_gradient"][...]

    rng = np.random.default_rng(1)
    particles = rng.integers(0, len(gradient), PARTICLES)
    best, spread = [], []
    for move, force in zip(moves, seen):
        particles = following[particles, move]
        weights = np.exp(-(((gradient[particles] - force) / NOISE) ** 2) / 2) + 1e-12
        best.append(particles[weights.argmax()])
        spread.append(particles.std())
        particles = rng.choice(particles, PARTICLES, p=weights / weights.sum())
        lost = rng.random(PARTICLES) < EXPLORING
        particles[lost] = rng.integers(0, len(gradient), lost.sum())

    with h5py.File(result, "w") as file:
        file["state"] = best
        file["spread"] = spread
    error = np.abs(gradient[best] - seen)
    print(f"state {best[-1]} after {len(moves)} moves, spread {spread[-1]:.3f}")
    print(f"force off by {error.mean():.6f} on average, {error.max():.6f} at most")


if __name__ == "__main__":
    main()
