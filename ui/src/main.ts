import "./style.css";

import { make, name, section } from "./dom";
import { findingCard, findingList } from "./findings";
import { GraphView } from "./graph_view";
import { HeatMapView } from "./heat_map_view";
import { ObjectTable } from "./objects";
import { loadReport, type Report } from "./report";
import { State } from "./state";
import { startTheme, toggleTheme } from "./theme";
import { Timeline } from "./timeline";
import { countText, secondsText } from "./units";
import { ViewModel } from "./view_model";

const SECTIONS: [string, string][] = [
    ["overview", "Overview"],
    ["graph", "Graph"],
    ["timeline", "Timeline"],
    ["objects", "Objects"],
    ["heat", "What was read"],
    ["findings", "Findings"],
    ["about", "About"],
];

function heading(report: Report): HTMLElement {
    return make(
        "header",
        {},
        make(
            "div",
            { class: "heading" },
            make("h1", {}, "Quarry report"),
            make(
                "p",
                {},
                name(report.trace),
                `, begun ${report.began}, ${secondsText(report.seconds)} long`,
            ),
        ),
        make(
            "nav",
            { "aria-label": "sections" },
            ...SECTIONS.map(([id, title]) => make("a", { href: `#${id}` }, title)),
            make("button", { type: "button", click: toggleTheme }, "Light or dark"),
        ),
    );
}

function overview(report: Report, graph: GraphView): HTMLElement[] {
    const important = report.findings.slice(0, 3);
    return [
        ...report.overview.map((sentence) =>
            make("p", { class: "lead" }, make("bdi", {}, sentence)),
        ),
        ...(important.length > 0 ? [make("h3", {}, "What matters most")] : []),
        make(
            "div",
            { class: "cards" },
            ...important.map((finding, number) => findingCard(finding, number, graph, false)),
        ),
    ];
}

function about(report: Report): HTMLElement[] {
    const { counts } = report;
    const shown = report.nodes.length;
    return [
        make(
            "p",
            {},
            `Made from ${countText(counts.records)} records of ${countText(counts.processes)} processes, ` +
                `${countText(counts.files)} files and ${countText(counts.objects)} objects. ` +
                `The graph has ${countText(shown)} nodes` +
                (report.nodes.some((node) => node.members)
                    ? "; what is alike was put together, because all of it would not fit into a page."
                    : "."),
        ),
        ...(report.reservations.length > 0
            ? [
                  make("h3", {}, "To be taken with care"),
                  make(
                      "ul",
                      {},
                      ...report.reservations.map((one) => make("li", {}, make("bdi", {}, one))),
                  ),
              ]
            : [make("p", {}, "Everything that was moved is credited to an object or a file.")]),
    ];
}

function start(): void {
    const report = loadReport();
    const state = new State(report);
    const graph = new GraphView(new ViewModel(report), state);
    const content: Record<string, (Node | string)[]> = {
        overview: overview(report, graph),
        graph: [graph.element],
        timeline: [new Timeline(state, graph).element],
        objects: [new ObjectTable(report, graph).element],
        heat: [new HeatMapView(report, state).element],
        findings: [findingList(report, graph)],
        about: about(report),
    };
    document.body.append(
        heading(report),
        make(
            "main",
            {},
            ...SECTIONS.map(([id, title]) => section(id, title, ...(content[id] ?? []))),
        ),
    );
    startTheme();
    graph.start();
    document.body.dataset.ready = "true";
}

try {
    start();
} catch (error) {
    document.body.append(
        make("p", { role: "alert" }, `The report cannot be shown: ${String(error)}`),
    );
    throw error;
}
