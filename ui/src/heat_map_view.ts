// Which parts of a dataset were read.

import { choice, make, name } from "./dom";
import type { Axis, HeatMap, Report } from "./report";
import type { State } from "./state";
import { colour, onThemeChange, rem } from "./theme";
import { shareText } from "./units";

// Room for the labels of the rows.
function margin(): number {
    return Math.round(4.5 * rem());
}

function unpacked(runs: number[]): number[] {
    const values: number[] = [];
    for (let i = 0; i + 1 < runs.length; i += 2)
        for (let count = runs[i + 1]!; count > 0; --count) values.push(runs[i]!);
    return values;
}

function beginOf(axis: Axis, part: number): number {
    return Math.ceil((part * axis.size) / axis.parts);
}

function rangeText(axis: Axis, part: number): string {
    const first = beginOf(axis, part);
    const last = beginOf(axis, part + 1) - 1;
    return first === last ? String(first) : `${first}–${last}`;
}

export class HeatMapView {
    readonly element: HTMLElement;
    private readonly canvas = make("canvas", { class: "heat", tabindex: 0, role: "img" });
    private readonly caption = make("p", { "aria-live": "polite" });
    private readonly cell = make("p", { class: "cell", "aria-live": "polite" });
    private readonly select: HTMLSelectElement | null;
    private chosen = 0;
    private measure: "share" | "times" = "share";
    private cursor: [number, number] | null = null;

    constructor(
        private readonly report: Report,
        state: State,
    ) {
        const maps = report.heat_maps;
        if (maps.length === 0) {
            this.select = null;
            this.element = make("p", {}, "No dataset was read.");
            return;
        }
        const which = choice(
            "dataset",
            maps.map((map, number) => [String(number), `${map.label}  (${this.fileOf(map)})`]),
            "0",
            (value) => this.show(Number(value)),
        );
        this.select = which.querySelector("select");
        this.element = make(
            "div",
            {},
            make(
                "div",
                { class: "toolbar" },
                which,
                choice(
                    "show",
                    [
                        ["share", "which part was read"],
                        ["times", "how often it was read"],
                    ],
                    "share",
                    (value) => {
                        this.measure = value as "share" | "times";
                        this.draw();
                    },
                ),
            ),
            this.caption,
            this.canvas,
            this.cell,
        );
        state.onSelect((node) => {
            const place = maps.findIndex((map) => node?.leaves.includes(map.node));
            if (node && place >= 0 && node.leaves.length === 1) this.show(place);
        });
        this.canvas.addEventListener("mousemove", (event) => this.pointAt(event));
        this.canvas.addEventListener("keydown", (event) => this.key(event));
        onThemeChange(() => this.draw());
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    private fileOf(map: HeatMap): string {
        return this.report.files[this.report.nodes[map.node]?.file ?? -1]?.name ?? "";
    }

    private get map(): HeatMap {
        return this.report.heat_maps[this.chosen]!;
    }

    private show(number: number): void {
        this.chosen = number;
        this.cursor = null;
        if (this.select) this.select.value = String(number);
        this.draw();
    }

    private weighted(values: number[]): number {
        const { rows, columns } = this.map;
        let sum = 0;
        values.forEach((value, cell) => {
            const row = Math.floor(cell / columns.parts);
            const column = cell % columns.parts;
            const height = beginOf(rows, row + 1) - beginOf(rows, row);
            const width = beginOf(columns, column + 1) - beginOf(columns, column);
            sum += value * height * width;
        });
        const all = rows.size * columns.size;
        return all > 0 ? sum / all : 0;
    }

    private size(): [number, number] {
        const { rows, columns } = this.map;
        const room = Math.max(this.element.clientWidth - margin() - 20, 200);
        const width = Math.max(2, Math.floor(Math.min(room, 73 * rem()) / columns.parts));
        const height =
            rows.parts === 1
                ? 3 * rem()
                : Math.max(4, Math.min(width, Math.floor((32 * rem()) / rows.parts)));
        return [width, height];
    }

    private draw(): void {
        const { map } = this;
        const share = unpacked(map.share);
        const times = unpacked(map.times);
        const values = this.measure === "share" ? share : times;
        const most = this.measure === "share" ? 1 : Math.max(...values, 1e-9);
        const [width, height] = this.size();
        const scale = devicePixelRatio || 1;
        const full: [number, number] = [
            width * map.columns.parts + margin(),
            height * map.rows.parts + 2 * rem(),
        ];
        this.canvas.width = full[0] * scale;
        this.canvas.height = full[1] * scale;
        this.canvas.style.width = `${full[0]}px`;
        this.canvas.style.height = `${full[1]}px`;
        const pen = this.canvas.getContext("2d");
        if (!pen) return;
        pen.scale(scale, scale);
        pen.clearRect(0, 0, ...full);
        values.forEach((value, cell) => {
            const row = Math.floor(cell / map.columns.parts);
            const column = cell % map.columns.parts;
            pen.fillStyle = colour("heat-none");
            pen.fillRect(margin() + column * width, row * height, width, height);
            pen.globalAlpha = value > 0 ? 0.15 + 0.85 * (value / most) : 0;
            pen.fillStyle = colour("heat");
            pen.fillRect(margin() + column * width, row * height, width, height);
            pen.globalAlpha = 1;
        });
        this.drawAxes(pen, width, height);
        if (this.cursor) {
            const [row, column] = this.cursor;
            pen.strokeStyle = colour("accent");
            pen.lineWidth = 2;
            pen.strokeRect(margin() + column * width, row * height, width, height);
        }
        const read = this.weighted(share);
        const often = this.weighted(times);
        this.caption.replaceChildren(
            name(map.label),
            ` in `,
            name(this.fileOf(map)),
            `, shape ${map.shape.join(" × ") || "scalar"}: ${shareText(read)} of its elements were read` +
                (read > 0 ? `, each ${(often / read).toFixed(1)} times on average.` : "."),
        );
        this.canvas.setAttribute("aria-label", this.caption.textContent ?? "");
        Object.assign(this.canvas.dataset, {
            values: JSON.stringify(values),
            rows: map.rows.parts,
            columns: map.columns.parts,
        });
        this.tell();
    }

    private drawAxes(pen: CanvasRenderingContext2D, width: number, height: number): void {
        const { rows, columns, shape } = this.map;
        pen.fillStyle = colour("text");
        pen.font = `${0.8 * rem()}px system-ui, sans-serif`;
        pen.textBaseline = "top";
        const bottom = height * rows.parts + 6;
        pen.textAlign = "left";
        pen.fillText("0", margin(), bottom);
        pen.textAlign = "center";
        pen.fillText(
            `dimension ${columns.dimension}`,
            margin() + (width * columns.parts) / 2,
            bottom,
        );
        pen.textAlign = "right";
        pen.fillText(String(columns.size), margin() + width * columns.parts, bottom);
        if (shape.length < 2) return;
        pen.fillText("0", margin() - 6, 0);
        pen.textBaseline = "bottom";
        pen.fillText(String(rows.size), margin() - 6, height * rows.parts);
        pen.textBaseline = "middle";
        if (rows.parts * height > 60)
            pen.fillText(`dim. ${rows.dimension}`, margin() - 6, (height * rows.parts) / 2);
    }

    private pointAt(event: MouseEvent): void {
        const [width, height] = this.size();
        const box = this.canvas.getBoundingClientRect();
        const column = Math.floor((event.clientX - box.left - margin()) / width);
        const row = Math.floor((event.clientY - box.top) / height);
        const { rows, columns } = this.map;
        const isInside = column >= 0 && column < columns.parts && row >= 0 && row < rows.parts;
        this.cursor = isInside ? [row, column] : null;
        this.draw();
    }

    private key(event: KeyboardEvent): void {
        const steps: Record<string, [number, number]> = {
            ArrowLeft: [0, -1],
            ArrowRight: [0, 1],
            ArrowUp: [-1, 0],
            ArrowDown: [1, 0],
        };
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        const { rows, columns } = this.map;
        const [row, column] = this.cursor ?? [0, -step[1]];
        this.cursor = [
            Math.min(Math.max(row + step[0], 0), rows.parts - 1),
            Math.min(Math.max(column + step[1], 0), columns.parts - 1),
        ];
        this.draw();
    }

    private tell(): void {
        const { map, cursor } = this;
        if (!cursor) {
            this.cell.textContent = "Point at a cell, or choose one with the arrow keys.";
            return;
        }
        const cell = cursor[0] * map.columns.parts + cursor[1];
        const where =
            map.shape.length > 1
                ? `rows ${rangeText(map.rows, cursor[0])}, columns ${rangeText(map.columns, cursor[1])}`
                : `elements ${rangeText(map.columns, cursor[1])}`;
        const share = unpacked(map.share)[cell] ?? 0;
        const times = unpacked(map.times)[cell] ?? 0;
        this.cell.textContent = `${where}: ${shareText(share)} read, ${times.toFixed(2)} times per element`;
    }
}
