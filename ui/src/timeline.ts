// When which task ran, and what was moved meanwhile.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { make, name } from "./dom";
import type { GraphView } from "./graph_view";
import type { Leaf } from "./report";
import type { State } from "./state";
import { colour, onThemeChange, rem } from "./theme";
import { bytesText, secondsText } from "./units";

// What the names of the tasks take, in the style sheet.
const LABELS = 15;

export class Timeline {
    readonly element: HTMLElement;
    private readonly chart = make("div", { class: "chart" });
    private readonly title = make("p", { class: "chart-title", "aria-live": "polite" });
    private plot: uPlot | null = null;
    private leaves: number[] | null = null; // whose I/O is shown; all without

    constructor(
        private readonly state: State,
        private readonly graph: GraphView,
    ) {
        this.element = make("div", {}, this.bars(), this.title, this.chart);
        state.onSelect((node) => {
            this.leaves = node?.kind === "task" ? node.leaves : null;
            this.draw();
        });
        onThemeChange(() => this.draw());
        new ResizeObserver(() => this.draw()).observe(this.chart);
    }

    private bars(): HTMLElement {
        const { nodes, seconds } = this.state.report;
        const tasks = nodes
            .map((leaf, number): [Leaf, number] => [leaf, number])
            .filter(([leaf]) => leaf.kind === "task")
            .sort(([left], [right]) => (left.begin ?? 0) - (right.begin ?? 0));
        const all = Math.max(seconds, 1e-9);
        return make(
            "div",
            { class: "bars", tabindex: 0, "aria-label": "tasks in the order of their beginning" },
            ...tasks.map(([leaf, number]) => {
                const begin = leaf.begin ?? 0;
                const length = (leaf.end ?? 0) - begin;
                const place = `left:${(100 * begin) / all}%;width:${Math.max((100 * length) / all, 0.2)}%`;
                return make(
                    "button",
                    {
                        type: "button",
                        class: "bar-row",
                        title: `${leaf.label}: ${secondsText(begin)} to ${secondsText(begin + length)}`,
                        click: () => this.graph.reveal(number),
                    },
                    name(leaf.label),
                    make("span", { class: "track" }, make("i", { class: "bar", style: place })),
                );
            }),
        );
    }

    private series(): [number[], number[], number[]] {
        const { parts, part_seconds, tasks } = this.state.report.timeline;
        const read = new Array<number>(parts).fill(0);
        const written = new Array<number>(parts).fill(0);
        for (const task of tasks) {
            if (this.leaves && !this.leaves.includes(task.node)) continue;
            for (const [part, readBytes, writtenBytes] of task.amounts) {
                read[part] = (read[part] ?? 0) + readBytes / part_seconds;
                written[part] = (written[part] ?? 0) + writtenBytes / part_seconds;
            }
        }
        return [read.map((_, part) => part * part_seconds), read, written];
    }

    private draw(): void {
        const width = this.chart.clientWidth;
        if (width === 0) return;
        const whose = this.leaves ? "the chosen task" : "all tasks";
        this.title.textContent = `Bytes per second of ${whose}`;
        this.plot?.destroy();
        const font = `${0.8 * rem()}px system-ui, sans-serif`;
        const axis = { font, stroke: colour("text"), grid: { stroke: colour("line"), width: 1 } };
        const value = (_: uPlot, amount: number | null): string =>
            amount === null ? "–" : `${bytesText(amount)}/s`;
        const line = (label: string, property: string) => ({
            label,
            value,
            stroke: colour(property),
            fill: `${colour(property)}33`,
            width: 1.5,
            paths: uPlot.paths.stepped!({ align: 1 }),
        });
        this.plot = new uPlot(
            {
                width,
                height: 16 * rem(),
                // Below the tracks of the tasks.
                padding: [null, 0.5 * rem(), null, null],
                scales: { x: { time: false } },
                axes: [
                    { ...axis, values: (_, ticks) => ticks.map((tick) => secondsText(tick)) },
                    {
                        ...axis,
                        size: LABELS * rem(),
                        values: (_, ticks) => ticks.map((tick) => `${bytesText(tick)}/s`),
                    },
                ],
                series: [
                    { label: "time", value: (_, at) => (at === null ? "–" : secondsText(at)) },
                    line("read", "read"),
                    line("written", "written"),
                ],
            },
            this.series(),
            this.chart,
        );
    }
}
