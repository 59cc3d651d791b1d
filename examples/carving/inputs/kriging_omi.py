"""Swaths of ozone profiles in HDF-EOS5 files, as OMI's: for each profile also what it was retrieved
with, of which the averaging kernels and covariances are by far the most.

Usage: kriging_omi.py tiny|full
"""

import sys

import h5py
import numpy as np

# Files, scan lines.
SIZES = {"tiny": (3, 40), "full": (28, 240)}
ACROSS, LAYERS = 30, 18
MISSING = np.float32(-1.2676506e30)
SWATH = "HDFEOS/SWATHS/O3Profile"
STRUCTURE = """GROUP=SwathStructure
\tGROUP=SWATH_1
\t\tSwathName="O3Profile"
\t\tGROUP=Dimension
\t\t\tOBJECT=Dimension_1
\t\t\t\tDimensionName="nTimes"
\t\t\t\tSize={lines}
\t\t\tEND_OBJECT=Dimension_1
\t\tEND_GROUP=Dimension
\tEND_GROUP=SWATH_1
END_GROUP=SwathStructure
END
"""


def places(orbit, lines):
    """A track from pole to pole, and what is seen left and right of it."""
    lat = np.linspace(-80, 80, lines)[:, None] + np.linspace(-1, 1, ACROSS)
    lon = -180 + 12.3 * orbit + np.linspace(0, 24, lines)[:, None] + np.linspace(-12, 12, ACROSS)
    return lat.astype("f4"), ((lon + 180) % 360 - 180).astype("f4")


def fields(rng, lat, lon):
    lines = len(lat)
    column = 280 + 60 * np.sin(np.radians(2 * lat)) + 15 * np.cos(np.radians(3 * lon))
    share = np.exp(-(((np.arange(LAYERS) - 7) / 4) ** 2))
    ozone = column[..., None] * share / share.sum() + rng.normal(0, 0.5, (*lat.shape, LAYERS))
    ozone[rng.random(lat.shape) < 0.05] = MISSING
    square = (lines, ACROSS, LAYERS, LAYERS)
    triangle = (lines, ACROSS, LAYERS * (LAYERS + 1) // 2)
    yield "O3", ozone, "DU"
    yield "O3APriori", column[..., None] * share, "DU"
    yield "O3Precision", rng.gamma(2, 1, ozone.shape), "DU"
    yield "AveragingKernel", rng.normal(0, 0.1, square).round(2), "1"
    yield "CovarianceMatrix", rng.normal(0, 1, triangle).round(2), "DU^2"
    yield "ReflectanceCostFunction", rng.random(lat.shape), "1"


def write(orbit, lines):
    rng = np.random.default_rng([13, orbit])
    lat, lon = places(orbit, lines)
    packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
    with h5py.File(f"OMI-Aura_L2-OMO3PR_o{orbit:05}.he5", "w", libver="earliest") as file:
        information = file.create_group("HDFEOS INFORMATION")
        information.attrs["HDFEOSVersion"] = np.bytes_("HDFEOS_5.1.11")
        information["StructMetadata.0"] = np.bytes_(STRUCTURE.format(lines=lines).ljust(32000))
        file.create_group("HDFEOS/ADDITIONAL/FILE_ATTRIBUTES").attrs["OrbitNumber"] = [orbit]
        swath = file.create_group(SWATH)
        where = [("Latitude", lat, "deg"), ("Longitude", lon, "deg")]
        where += [("SolarZenithAngle", np.abs(lat), "deg"), ("Time", np.arange(lines) * 2.0, "s")]
        for group, columns in (
            ("Data Fields", fields(rng, lat, lon)),
            ("Geolocation Fields", where),
        ):
            for name, values, units in columns:
                chunks = (min(20, lines), *values.shape[1:])
                path = f"{group}/{name}"
                dataset = swath.create_dataset(
                    path, data=values.astype("f4"), chunks=chunks, fillvalue=MISSING, **packed
                )
                dataset.attrs["Title"] = np.bytes_(name)
                dataset.attrs["Units"] = np.bytes_(units)
                dataset.attrs["_FillValue"] = dataset.attrs["MissingValue"] = [MISSING]
                dataset.attrs["ScaleFactor"], dataset.attrs["Offset"] = [1.0], [0.0]


def main():
    files, lines = SIZES[sys.argv[1]]
    for orbit in range(files):
        write(orbit, lines)


if __name__ == "__main__":
    main()
