"""How a command is started in each mode: the one place that knows how the connector is selected."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Mode(Enum):
    BASELINE = "baseline"  # as a user without Quarry would run it
    CONNECTOR = "connector"  # the connector selected for the whole process tree
    RECORDING = "recording"  # the same, and all that is done is recorded
    LYING = "lying"  # the plugin merely lies on the plugin path


@dataclass(frozen=True)
class Connector:
    plugins: Path  # the folder of the plugin
    program: Path  # `quarry`, which selects it as users have it selected
    string: str = ""  # for HDF5_VOL_CONNECTOR, to do without `quarry`


@dataclass(frozen=True)
class Places:
    """Where the connector leaves what is looked at afterwards."""

    witness: Path
    trace: Path


def launch(
    mode: Mode, connector: Connector, command: list[str], places: Places, other_plugins: list[Path]
) -> tuple[list[str], dict[str, str]]:
    """The command and the additional environment that run `command` in `mode`."""
    if mode is Mode.BASELINE:
        return command, {}
    # netCDF4 offers its own filters only where nobody has set the path: whoever sets it adds them.
    path = {"HDF5_PLUGIN_PATH": ":".join(map(str, [*other_plugins, connector.plugins]))}
    if mode is Mode.LYING:
        return command, path
    records = mode is Mode.RECORDING
    if not connector.string:
        trace = ["--trace", str(places.trace)] if records else ["--no-trace"]
        run = [str(connector.program), "run", *trace, "--witness", str(places.witness)]
        return [*run, "--", *command], {}
    separator = ";" if " " in connector.string else " "
    string = f"{connector.string}{separator}witness={places.witness}"
    string += f";trace={places.trace}" if records else ""
    return command, path | {"HDF5_VOL_CONNECTOR": string}
