// report.json, as docs/formats/report.md describes it.

export type Kind = "task" | "dataset" | "group" | "metadata" | "file" | "region";

export interface Dataset {
    type?: unknown;
    shape?: number[];
    layout?: string;
    chunks?: number[];
    filters?: unknown[];
}

export interface Leaf {
    id: string;
    kind: Kind;
    label: string;
    column: number;
    row: number;
    members?: number;
    // Of a task.
    begin?: number;
    end?: number;
    stage?: number;
    family?: string;
    host?: string;
    processes?: number;
    // Of all else.
    file?: number;
    written?: number;
    read?: number;
    dataset?: Dataset;
}

export interface FileEntry {
    path: string;
    name: string;
    pattern: string;
    directory: string;
    size: number;
    hdf5: boolean;
}

// from, to, writes, and then as in `Figures`.
export type EdgeRow = [
    number,
    number,
    0 | 1,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
];

// producer, consumer, through, kind, bytes
export type FlowRow = [number, number, number, "data" | "metadata" | "file", number];

export interface Finding {
    id: string;
    about: string;
    severity: "low" | "medium" | "high";
    sentence: string;
    fix: string;
    operations: number;
    bytes: number;
    seconds: number;
    nodes: number[];
}

export interface Axis {
    dimension: number;
    size: number;
    parts: number;
}

export interface HeatMap {
    node: number;
    label: string;
    shape: number[];
    rows: Axis;
    columns: Axis;
    share: number[];
    times: number[];
}

export type TaskGrouping = "task" | "family" | "stage" | "host" | "window";
export type DataGrouping = "object" | "file" | "pattern" | "directory";

export interface Report {
    format: number;
    trace: string;
    began: string;
    seconds: number;
    overview: string[];
    reservations: string[];
    counts: {
        tasks: number;
        processes: number;
        files: number;
        objects: number;
        records: number;
        findings: number;
    };
    grouping: { tasks: TaskGrouping; data: DataGrouping; window_seconds: number };
    nodes: Leaf[];
    files: FileEntry[];
    edges: EdgeRow[];
    flows: FlowRow[];
    findings: Finding[];
    timeline: {
        parts: number;
        part_seconds: number;
        tasks: { node: number; amounts: [number, number, number, number][] }[];
    };
    heat_maps: HeatMap[];
}

// What is counted on an edge, and added up for nodes.
export interface Figures {
    opens: number;
    touches: number;
    calls: number;
    selected: number;
    unique: number;
    moved: number;
    metadata: number;
    ios: number;
    seconds: number;
}

export function noFigures(): Figures {
    return {
        opens: 0,
        touches: 0,
        calls: 0,
        selected: 0,
        unique: 0,
        moved: 0,
        metadata: 0,
        ios: 0,
        seconds: 0,
    };
}

export function addEdge(sum: Figures, edge: EdgeRow): void {
    sum.opens += edge[3];
    sum.touches += edge[4];
    sum.calls += edge[5];
    sum.selected += edge[6];
    sum.unique += edge[7];
    sum.moved += edge[8];
    sum.metadata += edge[9];
    sum.ios += edge[10];
    sum.seconds += edge[11];
}

export function loadReport(): Report {
    const element = document.getElementById("report");
    const report = JSON.parse(element?.textContent ?? "null") as Report | null;
    if (report?.format !== 1) throw new Error("This page holds no report that it can read.");
    return report;
}
