// The graph: drawn by cytoscape where the report says, chosen and moved about by pointer or keys.

import cytoscape, { type Core, type NodeSingular, type StylesheetJson } from "cytoscape";

import { edgeDetails, nodeDetails } from "./details";
import { choice, make } from "./dom";
import type { DataGrouping, Kind, TaskGrouping } from "./report";
import type { State } from "./state";
import { colour, onScale, onThemeChange } from "./theme";
import { bandwidthText, bytesText, shortName } from "./units";
import type { ViewModel, Visible, VisibleEdge, VisibleNode } from "./view_model";

const COLUMN_WIDTH = 245;
const ROW_HEIGHT = 58;
const NODE_WIDTH = 175;
const NODE_HEIGHT = 40;
const MARGIN = 20;
const READABLE = 0.45;
const KINDS: [Kind, string][] = [
    ["task", "task"],
    ["dataset", "dataset"],
    ["group", "group"],
    ["metadata", "metadata"],
    ["file", "file"],
    ["region", "region"],
];

function styleSheet(): StylesheetJson {
    const ofKind = ([kind]: [Kind, string]) => ({
        selector: `node[kind = "${kind}"]`,
        style: { "background-color": colour(`kind-${kind}`) },
    });
    return [
        {
            selector: "node",
            style: {
                label: "data(label)",
                shape: "round-rectangle",
                width: NODE_WIDTH,
                height: NODE_HEIGHT,
                "font-size": 14,
                "font-family": "system-ui, sans-serif",
                color: colour("node-text"),
                "text-valign": "center",
                "text-halign": "center",
                "text-wrap": "wrap",
                "text-max-width": "172px",
                "border-width": 1,
                "border-color": colour("node-border"),
            },
        },
        { selector: 'node[kind = "task"]', style: { shape: "rectangle" } },
        { selector: 'node[kind = "file"]', style: { shape: "cut-rectangle" } },
        { selector: 'node[kind = "region"]', style: { shape: "barrel" } },
        ...KINDS.map(ofKind),
        { selector: "node[?isGroup]", style: { "border-width": 3, "border-style": "double" } },
        {
            selector: "node[severity]",
            style: { "border-color": colour("finding"), "border-width": 3 },
        },
        {
            selector: "edge",
            style: {
                width: "data(width)",
                "line-color": "data(colour)",
                "target-arrow-color": "data(colour)",
                "target-arrow-shape": "triangle",
                "curve-style": "straight",
                "arrow-scale": 0.8,
                opacity: 0.75,
            },
        },
        // Only what goes both ways needs room for two; telling takes cytoscape long.
        { selector: "edge[?isTwoWay]", style: { "curve-style": "bezier" } },
        { selector: ".faded", style: { opacity: 0.12 } },
        { selector: ".found", style: { "border-color": colour("accent"), "border-width": 5 } },
        {
            selector: "node:selected",
            style: {
                "border-color": colour("accent"),
                "border-width": 4,
                "overlay-color": colour("accent"),
                "overlay-opacity": 0.15,
            },
        },
    ] as unknown as StylesheetJson;
}

export class GraphView {
    readonly element: HTMLElement;
    private readonly canvas = make("div", {
        class: "graph-canvas",
        tabindex: 0,
        role: "application",
        "aria-label":
            "Graph of tasks and data. Arrow keys move from node to node, Enter opens or closes a group, plus and minus zoom, 0 shows all, Escape lets go.",
    });
    private readonly panel = make("aside", { class: "panel", "aria-live": "polite" });
    private readonly tip = make("div", { class: "tip", hidden: true });
    private readonly search = make("input", {
        type: "search",
        placeholder: "search",
        "aria-label": "search for tasks, files and objects",
        input: () => this.find(),
    });
    private readonly hits = make("span", { class: "hits", "aria-live": "polite" });
    private graph: Core | null = null;
    private shown: Visible = { nodes: new Map(), edges: [] };

    constructor(
        private readonly model: ViewModel,
        private readonly state: State,
    ) {
        this.element = make(
            "div",
            {},
            this.toolbar(),
            make("div", { class: "graph" }, this.canvas, this.panel),
            this.tip,
            this.legend(),
        );
        onThemeChange(() => this.graph?.style(styleSheet()));
        state.onSelect((node) => this.showSelection(node));
    }

    // The element has to be in the page by now.
    start(): void {
        this.graph = cytoscape({
            container: this.canvas,
            style: styleSheet(),
            minZoom: 0.02,
            maxZoom: 4,
            boxSelectionEnabled: false,
            autoungrabify: true,
        });
        this.listen(this.graph);
        this.draw();
        this.state.select(null);
        Object.assign(window, { quarryGraph: this.graph });
    }

    node(key: string): VisibleNode | undefined {
        return this.shown.nodes.get(key);
    }

    // Opens whatever hides a leaf, and chooses it.
    reveal(leaf: number): void {
        const holder = (): VisibleNode | undefined =>
            [...this.shown.nodes.values()].find((node) => node.leaves.includes(leaf));
        for (let node = holder(); node?.isGroup && node.leaves.length > 1; node = holder()) {
            this.model.open(node);
            this.draw();
        }
        const node = holder();
        if (!node) return;
        this.state.select(node);
        this.centre(node.key);
        this.canvas.scrollIntoView({ block: "center" });
    }

    private draw(): void {
        const graph = this.graph;
        if (!graph) return;
        this.shown = this.model.visible();
        const places = this.places();
        const edges = this.edgeData();
        graph.batch(() => {
            graph.elements().remove();
            graph.add(
                [...this.shown.nodes.values()].map((node) => ({
                    group: "nodes" as const,
                    data: {
                        id: node.key,
                        kind: node.kind,
                        label: this.labelOf(node),
                        isGroup: node.isGroup,
                        ...(node.findings.length > 0 ? { severity: "found" } : {}),
                    },
                    position: places.get(node.key) ?? { x: 0, y: 0 },
                })),
            );
            graph.add(edges);
        });
        this.look(graph, [...places.values()]);
        this.find();
    }

    // At all of it, but not so small that nothing could be read: then it begins at the left.
    // Where the nodes are is known here; cytoscape would measure every edge and label.
    private look(graph: Core, places: { x: number; y: number }[]): void {
        if (places.length === 0) return;
        const along = (values: number[], size: number): [number, number] => [
            Math.min(...values) - size / 2,
            Math.max(...values) + size / 2,
        ];
        const [left, right] = along(
            places.map(({ x }) => x),
            NODE_WIDTH,
        );
        const [top, bottom] = along(
            places.map(({ y }) => y),
            NODE_HEIGHT,
        );
        const wanted = Math.min(
            (graph.width() - 2 * MARGIN) / (right - left),
            (graph.height() - 2 * MARGIN) / (bottom - top),
        );
        const zoom = Math.min(Math.max(wanted, READABLE), graph.maxZoom());
        const x =
            wanted < READABLE
                ? MARGIN - left * zoom
                : graph.width() / 2 - ((left + right) / 2) * zoom;
        graph.viewport({ zoom, pan: { x, y: graph.height() / 2 - ((top + bottom) / 2) * zoom } });
    }

    private labelOf(node: VisibleNode): string {
        const count = node.leaves.length;
        const below = node.isGroup ? `${count} inside` : node.below;
        return shortName(node.name, 22) + (below ? `\n${shortName(below, 22)}` : "");
    }

    private places(): Map<string, { x: number; y: number }> {
        const columns = new Map<number, VisibleNode[]>();
        for (const node of this.shown.nodes.values()) {
            const column = columns.get(node.column);
            if (column) column.push(node);
            else columns.set(node.column, [node]);
        }
        const places = new Map<string, { x: number; y: number }>();
        [...columns.keys()]
            .sort((left, right) => left - right)
            .forEach((key, place) => {
                const nodes = columns.get(key)!.sort((left, right) => left.row - right.row);
                nodes.forEach((node, row) =>
                    places.set(node.key, {
                        x: place * COLUMN_WIDTH,
                        y: (row - (nodes.length - 1) / 2) * ROW_HEIGHT,
                    }),
                );
            });
        return places;
    }

    private bandwidths(): [number, number] {
        let low = Infinity;
        let high = 0;
        for (const { figures } of this.shown.edges) {
            if (figures.seconds <= 0 || figures.moved <= 0) continue;
            low = Math.min(low, figures.moved / figures.seconds);
            high = Math.max(high, figures.moved / figures.seconds);
        }
        return [low, high];
    }

    private edgeData() {
        const most = this.shown.edges.reduce((max, edge) => Math.max(max, edge.figures.moved), 1);
        const [low, high] = this.bandwidths();
        const none = colour("edge-unknown");
        this.showScale(low, high);
        const way = (from: string, to: string): string => `${from}\n${to}`;
        const ways = new Set(this.shown.edges.map((edge) => way(edge.from, edge.to)));
        return this.shown.edges.map((edge, number) => {
            const { moved, seconds } = edge.figures;
            const place = (Math.log(moved / seconds) - Math.log(low)) / Math.log(high / low || 1);
            return {
                group: "edges" as const,
                data: {
                    id: `edge ${number}`,
                    number,
                    source: edge.from,
                    target: edge.to,
                    isTwoWay: ways.has(way(edge.to, edge.from)),
                    width: 1 + 9 * (Math.log1p(moved) / Math.log1p(most)) ** 3,
                    colour: seconds > 0 && moved > 0 ? onScale(high > low ? place : 1) : none,
                },
            };
        });
    }

    private listen(graph: Core): void {
        graph.on("tap", "node", (event) => {
            this.state.select(this.shown.nodes.get(event.target.id()) ?? null);
        });
        graph.on("dbltap", "node", (event) => this.toggle(event.target.id()));
        graph.on("tap", (event) => {
            if (event.target === graph) this.state.select(null);
        });
        graph.on("mouseover", "node", (event) => {
            const node = this.shown.nodes.get(event.target.id());
            if (node) this.showTip(event.originalEvent, nodeDetails(node, this.model.report));
        });
        graph.on("mouseover", "edge", (event) => {
            const edge = this.shown.edges[event.target.data("number")];
            if (edge) this.showTip(event.originalEvent, this.detailsOf(edge));
        });
        graph.on("mouseout", () => (this.tip.hidden = true));
        this.canvas.addEventListener("keydown", (event) => this.key(event));
        new ResizeObserver(() => graph.resize()).observe(this.canvas);
    }

    private detailsOf(edge: VisibleEdge): HTMLElement[] {
        const label = (key: string): string => this.shown.nodes.get(key)?.label ?? key;
        return edgeDetails(edge, label(edge.from), label(edge.to));
    }

    private showTip(event: MouseEvent, content: HTMLElement[]): void {
        this.tip.replaceChildren(...content);
        this.tip.hidden = false;
        const { width, height } = this.tip.getBoundingClientRect();
        const left = Math.min(event.clientX + 16, innerWidth - width - 8);
        const top = Math.min(event.clientY + 16, innerHeight - height - 8);
        this.tip.style.left = `${Math.max(left, 8)}px`;
        this.tip.style.top = `${Math.max(top, 8)}px`;
    }

    private toggle(key: string): void {
        const node = this.shown.nodes.get(key);
        if (!node) return;
        if (node.isGroup) this.model.open(node);
        else if (node.isCloseable) this.model.close(node);
        else return;
        const leaf = node.leaves[0];
        this.draw();
        const next = [...this.shown.nodes.values()].find((one) => one.leaves.includes(leaf ?? -1));
        this.state.select(next ?? null);
        if (next) this.centre(next.key);
    }

    private showSelection(node: VisibleNode | null): void {
        const graph = this.graph;
        const shown = node ? this.shown.nodes.get(node.key) : undefined;
        graph?.elements().unselect().removeClass("faded");
        if (!node || !shown || !graph) {
            this.panel.replaceChildren(
                make("p", { class: "hint" }, "Click on a node to follow its data up and down."),
            );
            return;
        }
        graph.getElementById(node.key).select();
        const lineage = this.model.lineage(shown, this.shown);
        graph.batch(() => {
            graph.nodes().forEach((one) => void one.toggleClass("faded", !lineage.has(one.id())));
            graph.edges().forEach((one) => {
                const inside =
                    lineage.has(one.data("source") as string) &&
                    lineage.has(one.data("target") as string);
                one.toggleClass("faded", !inside);
            });
        });
        this.panel.replaceChildren(
            ...nodeDetails(shown, this.model.report),
            ...this.actionsFor(shown),
            ...this.findingsFor(shown),
        );
    }

    private actionsFor(node: VisibleNode): HTMLElement[] {
        const button = (text: string) =>
            make("button", { type: "button", click: () => this.toggle(node.key) }, text);
        if (node.isGroup) return [button(`Open: show the ${node.leaves.length} inside`)];
        return node.isCloseable ? [button("Close the group it belongs to")] : [];
    }

    private findingsFor(node: VisibleNode): HTMLElement[] {
        return node.findings.map((number) => {
            const finding = this.model.report.findings[number]!;
            return make(
                "p",
                { class: `finding-line ${finding.severity}` },
                make("a", { href: `#finding-${number}` }, finding.id),
                `: ${finding.about}`,
            );
        });
    }

    private centre(key: string): void {
        const node = this.graph?.getElementById(key);
        if (!node || node.empty()) return;
        const extent = this.graph!.extent();
        const { x, y } = node.position();
        const isInside = x > extent.x1 && x < extent.x2 && y > extent.y1 && y < extent.y2;
        if (!isInside) this.graph!.center(node);
    }

    private key(event: KeyboardEvent): void {
        const graph = this.graph;
        if (!graph) return;
        const directions: Record<string, [number, number]> = {
            ArrowLeft: [-1, 0],
            ArrowRight: [1, 0],
            ArrowUp: [0, -1],
            ArrowDown: [0, 1],
        };
        const direction = directions[event.key];
        const middle = { x: graph.width() / 2, y: graph.height() / 2 };
        if (direction) this.move(direction);
        else if (event.key === "Enter" && this.state.selection)
            this.toggle(this.state.selection.key);
        else if (event.key === "Escape") this.state.select(null);
        else if (event.key === "+" || event.key === "=")
            graph.zoom({ level: graph.zoom() * 1.3, renderedPosition: middle });
        else if (event.key === "-")
            graph.zoom({ level: graph.zoom() / 1.3, renderedPosition: middle });
        else if (event.key === "0") graph.fit(undefined, MARGIN);
        else return;
        event.preventDefault();
    }

    private move([right, down]: [number, number]): void {
        const graph = this.graph!;
        const current = this.state.selection && graph.getElementById(this.state.selection.key);
        let best: NodeSingular | null = null;
        let least = Infinity;
        const here =
            current && current.nonempty() ? current.position() : { x: -Infinity, y: -Infinity };
        graph.nodes().forEach((node) => {
            const { x, y } = node.position();
            const isAnywhere = here.x === -Infinity;
            const along = isAnywhere ? 0 : (x - here.x) * right + (y - here.y) * down;
            const across = isAnywhere
                ? 0
                : Math.abs((x - here.x) * down) + Math.abs((y - here.y) * right);
            if (!isAnywhere && along <= 0) return;
            const distance = isAnywhere ? x + y / 1e4 : along + 3 * across;
            if (distance >= least) return;
            least = distance;
            best = node;
        });
        const found = best as NodeSingular | null;
        if (!found) return;
        this.state.select(this.shown.nodes.get(found.id()) ?? null);
        this.centre(found.id());
    }

    private find(): void {
        const wanted = this.search.value.trim().toLowerCase();
        const graph = this.graph;
        if (!graph) return;
        graph.nodes().removeClass("found");
        this.hits.textContent = "";
        if (!wanted) return;
        const { nodes } = this.model.report;
        const isHit = (node: VisibleNode): boolean =>
            `${node.label} ${node.below}`.toLowerCase().includes(wanted) ||
            node.leaves.some((leaf) => nodes[leaf]?.label.toLowerCase().includes(wanted));
        const hits = [...this.shown.nodes.values()].filter(isHit);
        for (const node of hits) graph.getElementById(node.key).addClass("found");
        this.hits.textContent = hits.length === 1 ? "1 found" : `${hits.length} found`;
        if (hits[0]) this.centre(hits[0].key);
    }

    private toolbar(): HTMLElement {
        const redraw = (): void => {
            if (this.state.selection) this.state.select(null);
            this.draw();
        };
        const grouping = (tasks: TaskGrouping, data: DataGrouping): void => {
            this.model.group(tasks, data);
            redraw();
        };
        const button = (text: string, click: () => void) =>
            make("button", { type: "button", click }, text);
        const kinds = KINDS.filter(
            ([kind]) => kind !== "task" && this.model.report.nodes.some((one) => one.kind === kind),
        );
        return make(
            "div",
            { class: "toolbar", role: "toolbar", "aria-label": "graph" },
            this.search,
            this.hits,
            choice(
                "tasks",
                [
                    ["task", "each"],
                    ["family", "by family"],
                    ["stage", "by stage"],
                    ["host", "by machine"],
                    ["window", "by time"],
                ],
                this.model.tasks,
                (value) => grouping(value as TaskGrouping, this.model.data),
            ),
            choice(
                "data",
                [
                    ["object", "objects"],
                    ["file", "files"],
                    ["pattern", "files of one pattern"],
                    ["directory", "directories"],
                ],
                this.model.data,
                (value) => grouping(this.model.tasks, value as DataGrouping),
            ),
            ...kinds.map(([kind, text]) => {
                const box = make("input", {
                    type: "checkbox",
                    checked: true,
                    change: () => {
                        if (box.checked) this.model.filter.kinds.add(kind);
                        else this.model.filter.kinds.delete(kind);
                        redraw();
                    },
                });
                return make("label", { class: "filter" }, box, ` ${text}`);
            }),
            this.findingsFilter(redraw),
            button("Open all", () => (this.model.setAll(true), redraw())),
            button("Close all", () => (this.model.setAll(false), redraw())),
            button("Show all", () => this.graph?.fit(undefined, MARGIN)),
        );
    }

    private findingsFilter(redraw: () => void): HTMLElement {
        const box = make("input", {
            type: "checkbox",
            change: () => {
                this.model.filter.onlyFindings = box.checked;
                redraw();
            },
        });
        return make("label", { class: "filter" }, box, " only with findings");
    }

    private readonly scale = make("span", { class: "scale-text" });

    private showScale(low: number, high: number): void {
        this.scale.textContent =
            high > 0 ? `${bandwidthText(low, 1)} to ${bandwidthText(high, 1)}` : "not known";
    }

    private legend(): HTMLElement {
        const most = this.model.report.edges.reduce((max, edge) => Math.max(max, edge[8]), 0);
        const steps = [0, 0.2, 0.4, 0.6, 0.8, 1].map((share) =>
            make("i", { style: `background:${onScale(share)}` }),
        );
        return make(
            "div",
            { class: "legend", "aria-label": "legend" },
            ...KINDS.map(([kind, text]) =>
                make("span", {}, make("i", { class: `swatch ${kind}` }), ` ${text}`),
            ),
            make("span", {}, make("i", { class: "swatch found" }), " has findings"),
            make("span", {}, make("i", { class: "swatch grouped" }), " group (double-click opens)"),
            make("span", {}, `width: bytes moved, up to ${bytesText(most)}`),
            make("span", { class: "scale" }, "colour: bandwidth ", ...steps, " ", this.scale),
            make("span", {}, "time runs from left to right"),
        );
    }
}
