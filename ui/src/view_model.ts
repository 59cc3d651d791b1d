// What of the graph is to be seen: leaves, or the groups that stand for them until they are opened.

import {
    addEdge,
    noFigures,
    type DataGrouping,
    type Figures,
    type Kind,
    type Leaf,
    type Report,
    type TaskGrouping,
} from "./report";

export interface VisibleNode {
    key: string;
    kind: Kind;
    label: string;
    name: string; // short, for drawing
    below: string; // a second line: the file of an object
    leaves: number[];
    figures: Figures;
    column: number;
    row: number;
    isGroup: boolean;
    isCloseable: boolean;
    findings: number[];
}

export interface VisibleEdge {
    key: string;
    from: string;
    to: string;
    writes: boolean;
    figures: Figures;
}

export interface Visible {
    nodes: Map<string, VisibleNode>;
    edges: VisibleEdge[];
}

export interface Filter {
    kinds: Set<Kind>;
    onlyFindings: boolean;
}

// Something that stands for leaves while it is closed.
interface Container {
    key: string;
    label: string;
    name: string;
    kind: Kind;
    isOpen: boolean;
}

export class ViewModel {
    readonly filter: Filter = {
        kinds: new Set<Kind>(["task", "dataset", "group", "metadata", "file", "region"]),
        onlyFindings: false,
    };
    tasks: TaskGrouping;
    data: DataGrouping;
    readonly windowSeconds: number;
    private readonly opened = new Map<string, boolean>();
    private readonly findingsOf: number[][];

    constructor(readonly report: Report) {
        this.tasks = report.grouping.tasks;
        this.data = report.grouping.data;
        this.windowSeconds = report.grouping.window_seconds || Math.max(report.seconds / 10, 1e-6);
        this.findingsOf = report.nodes.map(() => []);
        report.findings.forEach((finding, number) => {
            for (const node of finding.nodes) this.findingsOf[node]?.push(number);
        });
        this.startWithWhatCanBeSeen();
    }

    group(tasks: TaskGrouping, data: DataGrouping): void {
        this.tasks = tasks;
        this.data = data;
        this.opened.clear();
    }

    open(node: VisibleNode): void {
        if (node.isGroup) this.opened.set(node.key, true);
    }

    // Puts a leaf, or an opened group, back into what it came out of.
    close(node: VisibleNode): void {
        const leaf = node.leaves[0];
        if (leaf === undefined) return;
        const open = this.containersOf(leaf).filter((one) => one.isOpen);
        const last = open[open.length - 1];
        if (last) this.opened.set(last.key, false);
    }

    setAll(open: boolean): void {
        this.opened.clear();
        for (let leaf = 0; leaf < this.report.nodes.length; ++leaf)
            for (const one of this.containersOf(leaf)) this.opened.set(one.key, open);
    }

    visible(): Visible {
        const nodes = new Map<string, VisibleNode>();
        const shownAs = this.report.nodes.map((leaf, number) => {
            if (!this.isWanted(leaf, number)) return null;
            const shown = this.representative(number);
            const known = nodes.get(shown.key);
            if (!known) {
                nodes.set(shown.key, shown);
                return shown;
            }
            known.leaves.push(number);
            known.column = Math.min(known.column, leaf.column);
            known.row += leaf.row;
            for (const finding of shown.findings)
                if (!known.findings.includes(finding)) known.findings.push(finding);
            return known;
        });
        for (const node of nodes.values()) node.row /= node.leaves.length;
        const edges = new Map<string, VisibleEdge>();
        for (const edge of this.report.edges) {
            const from = shownAs[edge[0]];
            const to = shownAs[edge[1]];
            for (const end of [from, to]) if (end) addEdge(end.figures, edge);
            if (!from || !to || from === to) continue;
            const key = `${from.key}|${to.key}|${edge[2]}`;
            let known = edges.get(key);
            if (!known) {
                known = {
                    key,
                    from: from.key,
                    to: to.key,
                    writes: edge[2] === 1,
                    figures: noFigures(),
                };
                edges.set(key, known);
            }
            addEdge(known.figures, edge);
        }
        return { nodes, edges: [...edges.values()] };
    }

    // Everything that this came from, and everything that came from it.
    lineage(start: VisibleNode, visible: Visible): Set<string> {
        const found = new Set<string>();
        const shownAs = new Map<number, string>();
        for (const node of visible.nodes.values())
            for (const leaf of node.leaves) shownAs.set(leaf, node.key);
        for (const isDownward of [true, false])
            this.follow(start.leaves, isDownward, found, shownAs);
        found.add(start.key);
        return found;
    }

    private follow(
        start: number[],
        isDownward: boolean,
        found: Set<string>,
        shownAs: Map<number, string>,
    ): void {
        const seen = new Set<number>();
        const waiting: number[] = [];
        const visit = (leaf: number): void => {
            const key = shownAs.get(leaf);
            if (key !== undefined) found.add(key);
        };
        const visitTask = (task: number): void => {
            if (seen.has(task)) return;
            seen.add(task);
            waiting.push(task);
            visit(task);
        };
        const isTask = (leaf: number): boolean => this.report.nodes[leaf]?.kind === "task";
        for (const leaf of start) {
            if (isTask(leaf)) {
                visitTask(leaf);
                continue;
            }
            for (const [from, to] of this.report.edges) {
                if (isDownward && from === leaf && isTask(to)) visitTask(to);
                if (!isDownward && to === leaf && isTask(from)) visitTask(from);
            }
        }
        for (let task = waiting.pop(); task !== undefined; task = waiting.pop()) {
            for (const [producer, consumer, through] of this.report.flows) {
                if ((isDownward ? producer : consumer) !== task || producer === consumer) continue;
                visit(through);
                visitTask(isDownward ? consumer : producer);
            }
            for (const [from, to] of this.report.edges)
                if ((isDownward ? from : to) === task) visit(isDownward ? to : from);
        }
    }

    private startWithWhatCanBeSeen(): void {
        const most = 60;
        const isChosen = this.tasks !== "task" || this.data !== "object";
        if (isChosen || this.visible().nodes.size <= most) return;
        this.data = "file";
        if (this.visible().nodes.size > most) this.tasks = "family";
        if (this.visible().nodes.size > most) this.data = "pattern";
    }

    private isWanted(leaf: Leaf, number: number): boolean {
        if (!this.filter.kinds.has(leaf.kind)) return false;
        const isFound = (this.findingsOf[number]?.length ?? 0) > 0;
        return !this.filter.onlyFindings || isFound || leaf.kind === "task";
    }

    private representative(number: number): VisibleNode {
        const leaf = this.report.nodes[number]!;
        const containers = this.containersOf(number);
        const closed = containers.find((one) => !one.isOpen);
        const file = leaf.file !== undefined ? this.report.files[leaf.file] : undefined;
        const label = leaf.kind === "metadata" ? "metadata" : leaf.label;
        const isObject = leaf.kind === "dataset" || leaf.kind === "group";
        return {
            key: closed?.key ?? leaf.id,
            kind: closed?.kind ?? leaf.kind,
            label: closed?.label ?? label,
            name: closed?.name ?? (leaf.kind === "file" ? file?.name : undefined) ?? label,
            below: !closed && (isObject || leaf.kind === "metadata") ? (file?.name ?? "") : "",
            leaves: [number],
            figures: noFigures(),
            column: leaf.column,
            row: leaf.row,
            isGroup: closed !== undefined,
            isCloseable: containers.some((one) => one.isOpen),
            findings: [...(this.findingsOf[number] ?? [])],
        };
    }

    private container(key: string, label: string, kind: Kind, isOpen: boolean): Container {
        const name = kind === "file" ? label.replace(/.*\/(?=.)/, "") : label;
        return { key, label, name, kind, isOpen: this.opened.get(key) ?? isOpen };
    }

    // From the outermost to the innermost. What holds one leaf only is no container.
    private containersOf(number: number): Container[] {
        const leaf = this.report.nodes[number]!;
        if (leaf.kind === "task") {
            const isOpen = this.tasks === "task";
            const [key, label] = this.taskGroup(leaf);
            return this.size(key) > 1 ? [this.container(key, label, "task", isOpen)] : [];
        }
        const place = leaf.file ?? 0;
        const file = this.report.files[place]!;
        const containers: Container[] = [];
        if (this.data === "pattern" || this.data === "directory") {
            const label = file[this.data];
            const key = `${this.data}:${label}`;
            if (this.size(key) > 1)
                containers.push(
                    this.container(
                        key,
                        label + (this.data === "directory" ? "/" : ""),
                        "file",
                        false,
                    ),
                );
        }
        const key = `file:${place}`;
        if (this.size(key) > 1)
            containers.push(this.container(key, file.path, "file", this.data === "object"));
        return containers;
    }

    private taskGroup(leaf: Leaf): [string, string] {
        switch (this.tasks) {
            case "stage":
                return [`stage:${leaf.stage}`, `stage ${leaf.stage}`];
            case "host":
                return [`host:${leaf.host}`, leaf.host || "unknown machine"];
            case "window": {
                const window = Math.floor((leaf.begin ?? 0) / this.windowSeconds);
                const at = (count: number): string =>
                    String(Number((count * this.windowSeconds).toPrecision(3)));
                return [`window:${window}`, `${at(window)} to ${at(window + 1)} s`];
            }
            case "task":
            case "family":
                return [`family:${leaf.family}`, leaf.family ?? ""];
        }
    }

    // How many leaves a container may hold, whatever is open.
    private size(key: string): number {
        if (this.sizesFor !== this.tasks) {
            this.sizes.clear();
            this.sizesFor = this.tasks;
            const count = (one: string): void =>
                void this.sizes.set(one, (this.sizes.get(one) ?? 0) + 1);
            for (const leaf of this.report.nodes) {
                if (leaf.kind === "task") {
                    count(this.taskGroup(leaf)[0]);
                    continue;
                }
                const place = leaf.file ?? 0;
                const file = this.report.files[place]!;
                count(`file:${place}`);
                count(`pattern:${file.pattern}`);
                count(`directory:${file.directory}`);
            }
        }
        return this.sizes.get(key) ?? 0;
    }
    private readonly sizes = new Map<string, number>();
    private sizesFor: TaskGrouping | null = null;
}
