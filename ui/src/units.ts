// Numbers as people read them, as the command line writes them.

function scaled(value: number, units: string[]): string {
    let unit = 0;
    while (value >= 1000 && unit + 1 < units.length) {
        value /= 1000;
        ++unit;
    }
    const digits = unit > 0 && value < 10 ? 1 : 0;
    return `${value.toFixed(digits)} ${units[unit]}`;
}

export function bytesText(bytes: number): string {
    return scaled(bytes, ["B", "kB", "MB", "GB", "TB", "PB"]);
}

export function secondsText(seconds: number): string {
    return scaled(seconds * 1e9, ["ns", "µs", "ms", "s"]);
}

export function countText(count: number): string {
    return Math.round(count).toLocaleString("en");
}

export function shareText(part: number): string {
    return `${(100 * part).toFixed(part > 0 && part < 0.01 ? 2 : 0)} %`;
}

export function bandwidthText(bytes: number, seconds: number): string {
    return seconds > 0 ? `${bytesText(bytes / seconds)}/s` : "–";
}

// The last part of a long path says most.
export function shortName(name: string, most = 34): string {
    return name.length > most ? `…${name.slice(1 - most)}` : name;
}
