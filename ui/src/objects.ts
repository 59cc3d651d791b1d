// Every object and file with its figures; any column sorts.

import { make, name } from "./dom";
import type { GraphView } from "./graph_view";
import { addEdge, noFigures, type Figures, type Leaf, type Report } from "./report";
import { bytesText, countText, secondsText } from "./units";

interface Row {
    number: number;
    leaf: Leaf;
    file: string;
    figures: Figures;
    findings: number;
}

type Column = [
    title: string,
    value: (row: Row) => number | string,
    text: (row: Row) => Node | string,
];

const ROWS_AT_ONCE = 200;

export class ObjectTable {
    readonly element: HTMLElement;
    private readonly rows: Row[];
    private readonly body = make("tbody");
    private readonly count = make("span", { class: "hits", "aria-live": "polite" });
    private readonly more: HTMLButtonElement;
    private readonly search = make("input", {
        type: "search",
        placeholder: "filter",
        "aria-label": "filter the table",
        input: () => this.draw(),
    });
    private readonly headings: HTMLElement[];
    private sortedBy = 4;
    private isDescending = true;
    private most = ROWS_AT_ONCE;

    constructor(
        private readonly report: Report,
        private readonly graph: GraphView,
    ) {
        this.rows = this.collect();
        this.headings = this.columns.map(([title], number) =>
            make(
                "th",
                { scope: "col" },
                make("button", { type: "button", click: () => this.sortBy(number) }, title),
            ),
        );
        this.more = make(
            "button",
            { type: "button", click: () => this.showMore() },
            "Show more rows",
        );
        this.element = make(
            "div",
            {},
            make("div", { class: "toolbar" }, this.search, this.count),
            make(
                "div",
                { class: "scroll" },
                make(
                    "table",
                    { class: "objects" },
                    make("thead", {}, make("tr", {}, ...this.headings)),
                    this.body,
                ),
            ),
            this.more,
        );
        this.draw();
    }

    private readonly columns: Column[] = [
        ["object", (row) => row.leaf.label, (row) => this.link(row)],
        ["file", (row) => row.file, (row) => name(row.file)],
        ["kind", (row) => row.leaf.kind, (row) => row.leaf.kind],
        ["asked for", (row) => row.figures.selected, (row) => bytesText(row.figures.selected)],
        ["moved", (row) => row.figures.moved, (row) => bytesText(row.figures.moved)],
        ["requests", (row) => row.figures.ios, (row) => countText(row.figures.ios)],
        ["calls", (row) => row.figures.calls, (row) => countText(row.figures.calls)],
        ["time", (row) => row.figures.seconds, (row) => secondsText(row.figures.seconds)],
        ["findings", (row) => row.findings, (row) => (row.findings ? String(row.findings) : "")],
    ];

    private link(row: Row): HTMLElement {
        const many = row.leaf.members ? ` (${countText(row.leaf.members)})` : "";
        return make(
            "button",
            { type: "button", class: "link", click: () => this.graph.reveal(row.number) },
            name(row.leaf.label),
            many,
        );
    }

    private collect(): Row[] {
        const figures = this.report.nodes.map(() => noFigures());
        for (const edge of this.report.edges)
            for (const end of [edge[0], edge[1]]) addEdge(figures[end]!, edge);
        return this.report.nodes
            .map((leaf, number) => ({
                number,
                leaf,
                file: this.report.files[leaf.file ?? -1]?.path ?? "",
                figures: figures[number]!,
                findings: this.report.findings.filter((one) => one.nodes.includes(number)).length,
            }))
            .filter((row) => row.leaf.kind !== "task");
    }

    private sortBy(column: number): void {
        this.isDescending = this.sortedBy === column ? !this.isDescending : column > 2;
        this.sortedBy = column;
        this.draw();
    }

    private showMore(): void {
        this.most += ROWS_AT_ONCE;
        this.draw();
    }

    private draw(): void {
        const wanted = this.search.value.trim().toLowerCase();
        const value = this.columns[this.sortedBy]![1];
        const sign = this.isDescending ? -1 : 1;
        const chosen = this.rows
            .filter((row) => `${row.leaf.label} ${row.file}`.toLowerCase().includes(wanted))
            .sort((left, right) => {
                const [one, other] = [value(left), value(right)];
                return sign * (one < other ? -1 : one > other ? 1 : 0);
            });
        this.headings.forEach((heading, number) => {
            const order = this.isDescending ? "descending" : "ascending";
            heading.setAttribute("aria-sort", number === this.sortedBy ? order : "none");
        });
        const shown = chosen.slice(0, this.most);
        this.body.replaceChildren(
            ...shown.map((row) =>
                make(
                    "tr",
                    { "data-node": row.leaf.id },
                    ...this.columns.map(([, , text], number) =>
                        make("td", number > 2 ? { class: "number" } : {}, text(row)),
                    ),
                ),
            ),
        );
        this.count.textContent = `${countText(shown.length)} of ${countText(this.rows.length)}`;
        this.more.hidden = shown.length === chosen.length;
    }
}
