"""Swaths of aerosol in netCDF-4 files, as VIIRS's: groups for where and what, packed values, a type
for the confidence in them, and reflectances that are by far the most.

Usage: kriging_viirs.py tiny|full
"""

import sys

import netCDF4
import numpy as np

# Files, lines, pixels.
SIZES = {"tiny": (3, 240, 240), "full": (40, 500, 400)}
BANDS = (412, 488, 550, 670, 865, 1240, 1610, 2250)
CONFIDENCE = {"none": 0, "poor": 1, "moderate": 2, "good": 3}
MISSING = -32767


def write(granule, lines, pixels):
    rng = np.random.default_rng([14, granule])
    packed = {"zlib": True, "complevel": 1, "chunksizes": (min(256, lines), pixels)}
    with netCDF4.Dataset(f"VNP04.A{granule:03}.nc", "w") as file:
        file.title, file.platform, file.instrument = "VIIRS Level-2 Data", "Suomi-NPP", "VIIRS"
        file.createDimension("number_of_lines", lines)
        file.createDimension("pixels_per_line", pixels)
        file.createDimension("bands", len(BANDS))
        confidence = file.createEnumType("u1", "confidence_t", CONFIDENCE)
        swath = ("number_of_lines", "pixels_per_line")

        file.createVariable("sensor_band_parameters/wavelength", "i4", ("bands",))[:] = BANDS
        when = file.createVariable("scan_line_attributes/msec", "i4", swath[:1])
        when.units = "milliseconds"
        when[:] = np.arange(lines)

        along = np.linspace(0, 20, lines)[:, None]
        lat = -70 + (37 * granule) % 120 + along + np.linspace(-1, 1, pixels)
        lon = (9.1 * granule + along / 3 + np.linspace(0, 27, pixels)) % 360 - 180
        for name, values in (("latitude", lat), ("longitude", lon)):
            place = file.createVariable(f"geolocation_data/{name}", "f4", swath, **packed)
            place.units = f"degrees_{'north' if name == 'latitude' else 'east'}"
            # Steps of the sensor's own resolution.
            place[:] = (values * 128).round() / 128

        thick = 0.3 + 0.2 * np.cos(np.radians(lat * 3)) + 0.1 * np.sin(np.radians(lon))
        thick = np.ma.masked_less(thick + rng.normal(0, 0.02, thick.shape), 0.08)
        what = {"aot_550": thick, "angstrom": rng.normal(1.2, 0.3, thick.shape)}
        what |= {f"rhot_{band}": rng.random(thick.shape) / 2 for band in BANDS}
        for name, values in what.items():
            path = f"geophysical_data/{name}"
            variable = file.createVariable(path, "i2", swath, fill_value=MISSING, **packed)
            variable.long_name = name.replace("_", " at ") + " nm"
            variable.scale_factor, variable.add_offset = 1e-4, 0.0
            variable.valid_min, variable.valid_max = np.int16(-32000), np.int16(32000)
            variable[:] = values
        sure = file.createVariable("geophysical_data/confidence", confidence, swath, **packed)
        sure[:] = rng.integers(0, 4, thick.shape, "u1")
        control = file.createGroup("processing_control/input_parameters")
        control.ifile, control.maxpoints = f"VNP02.A{granule:03}.nc", np.int32(4000)


def main():
    files, lines, pixels = SIZES[sys.argv[1]]
    for granule in range(files):
        write(granule, lines, pixels)


if __name__ == "__main__":
    main()
