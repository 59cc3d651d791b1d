// Colours, which canvases cannot take from a style sheet by themselves.

export function colour(property: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${property}`).trim();
}

// The size of the text, which follows that of the screen.
export function rem(): number {
    return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

const listeners: (() => void)[] = [];

export function onThemeChange(listener: () => void): void {
    listeners.push(listener);
}

function setTheme(theme: string): void {
    document.documentElement.dataset.theme = theme;
    for (const listener of listeners) listener();
}

export function toggleTheme(): void {
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

export function startTheme(): void {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    setTheme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
    // Paper is white.
    let before = "light";
    addEventListener("beforeprint", () => {
        before = document.documentElement.dataset.theme ?? "light";
        setTheme("light");
    });
    addEventListener("afterprint", () => setTheme(before));
}

// From slow to fast, along a scale that is as readable without colour vision.
const SCALE: [number, number, number][] = [
    [122, 4, 3],
    [221, 81, 58],
    [249, 165, 27],
    [111, 174, 109],
    [30, 120, 180],
    [84, 104, 220],
];

export function onScale(share: number): string {
    const place = Math.min(Math.max(share, 0), 1) * (SCALE.length - 1);
    const low = SCALE[Math.floor(place)]!;
    const high = SCALE[Math.ceil(place)]!;
    const part = place - Math.floor(place);
    return `rgb(${low.map((value, i) => Math.round(value + (high[i]! - value) * part)).join(",")})`;
}
