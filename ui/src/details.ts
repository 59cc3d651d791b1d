// The figures of a node or an edge, as a tip beside the pointer and in the panel beside the graph.

import { make, name } from "./dom";
import type { Figures, Report } from "./report";
import { bandwidthText, bytesText, countText, secondsText, shareText } from "./units";
import type { VisibleEdge, VisibleNode } from "./view_model";

type Row = [label: string, field: string, value: number, text: string];

function figureRows(figures: Figures): Row[] {
    const rows: Row[] = [
        ["asked for by programs", "selected", figures.selected, bytesText(figures.selected)],
        ["moved by HDF5, or without it", "moved", figures.moved, bytesText(figures.moved)],
        ["of these metadata", "metadata", figures.metadata, bytesText(figures.metadata)],
        ["calls of programs", "calls", figures.calls, countText(figures.calls)],
        ["requests to the file", "ios", figures.ios, countText(figures.ios)],
        ["opened", "opens", figures.opens, countText(figures.opens)],
        ["attributes and links used", "touches", figures.touches, countText(figures.touches)],
        ["time of requests", "seconds", figures.seconds, secondsText(figures.seconds)],
    ];
    return rows.filter(([, , value]) => value > 0);
}

function table(rows: Row[]): HTMLElement {
    return make(
        "table",
        { class: "figures" },
        ...rows.map(([label, field, value, text]) =>
            make(
                "tr",
                {},
                make("th", { scope: "row" }, label),
                make("td", { "data-field": field, "data-value": value }, text),
            ),
        ),
    );
}

function figures(of: Figures): HTMLElement {
    const rows = figureRows(of);
    if (of.seconds > 0 && of.moved > 0)
        rows.push([
            "bandwidth",
            "bandwidth",
            of.moved / of.seconds,
            bandwidthText(of.moved, of.seconds),
        ]);
    return table(rows);
}

const KINDS: Record<string, string> = {
    task: "task",
    dataset: "dataset",
    group: "group or named type",
    metadata: "metadata that belongs to no object",
    file: "file",
    region: "region of a file",
};

export function kindText(node: VisibleNode, report: Report): string {
    const count = node.leaves.reduce((sum, leaf) => sum + (report.nodes[leaf]?.members ?? 1), 0);
    const inside = node.kind === "task" ? "tasks" : "objects or files";
    return count > 1 ? `${countText(count)} ${inside}` : (KINDS[node.kind] ?? node.kind);
}

function facts(node: VisibleNode, report: Report): HTMLElement[] {
    const leaf = report.nodes[node.leaves[0] ?? -1];
    if (!leaf || node.leaves.length > 1) return [];
    const lines: string[] = [];
    if (leaf.kind === "task")
        lines.push(
            `from ${secondsText(leaf.begin ?? 0)} to ${secondsText(leaf.end ?? 0)}`,
            `${leaf.processes === 1 ? "1 process" : `${countText(leaf.processes ?? 0)} processes`} on ${leaf.host || "an unknown machine"}`,
        );
    const dataset = leaf.dataset;
    if (dataset?.shape) lines.push(`shape ${dataset.shape.join(" × ") || "scalar"}`);
    if (dataset?.layout)
        lines.push(
            `${dataset.layout}${dataset.chunks ? `, chunks of ${dataset.chunks.join(" × ")}` : ""}`,
        );
    if (leaf.written) lines.push(`${bytesText(leaf.written)} of different elements written`);
    if (leaf.read) {
        const share = leaf.written ? ` (${shareText(leaf.read / leaf.written)} of these)` : "";
        lines.push(`${bytesText(leaf.read)} of different elements read${share}`);
    }
    return lines.map((line) => make("p", {}, make("bdi", {}, line)));
}

export function nodeDetails(node: VisibleNode, report: Report): HTMLElement[] {
    return [
        make("p", { class: "kind" }, kindText(node, report)),
        make("h3", {}, name(node.label)),
        ...(node.below ? [make("p", {}, "in ", name(node.below))] : []),
        ...facts(node, report),
        figures(node.figures),
    ];
}

export function edgeDetails(edge: VisibleEdge, from: string, to: string): HTMLElement[] {
    return [
        make("p", { class: "kind" }, edge.writes ? "written" : "read"),
        make("h3", {}, name(from), " → ", name(to)),
        figures(edge.figures),
    ];
}
