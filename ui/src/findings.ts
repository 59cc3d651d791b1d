// What is wasted, and what to type to mend it.

import { make } from "./dom";
import type { GraphView } from "./graph_view";
import type { Finding, Report } from "./report";
import { bytesText, countText, secondsText } from "./units";

function savingText(finding: Finding): string {
    const parts: string[] = [];
    if (finding.operations > 0)
        parts.push(
            finding.operations === 1 ? "1 request" : `${countText(finding.operations)} requests`,
        );
    if (finding.bytes > 0) parts.push(bytesText(finding.bytes));
    if (finding.seconds >= 1e-6) parts.push(`about ${secondsText(finding.seconds)}`);
    return parts.length > 0 ? `Mending it saves ${parts.join(", ")}.` : "";
}

function copyButton(text: string): HTMLElement {
    const button = make(
        "button",
        {
            type: "button",
            click: () => {
                void navigator.clipboard?.writeText(text).then(() => {
                    button.textContent = "Copied";
                });
            },
        },
        "Copy",
    );
    return button;
}

export function findingCard(
    finding: Finding,
    number: number,
    graph: GraphView,
    isAnchor: boolean,
): HTMLElement {
    const first = finding.nodes[0];
    const show =
        first !== undefined
            ? [
                  make(
                      "button",
                      { type: "button", click: () => graph.reveal(first) },
                      "Show in the graph",
                  ),
              ]
            : [];
    return make(
        "article",
        { class: `finding ${finding.severity}`, id: isAnchor ? `finding-${number}` : undefined },
        make(
            "h3",
            {},
            finding.id,
            " ",
            make("span", { class: `badge ${finding.severity}` }, finding.severity),
        ),
        make("p", {}, make("bdi", {}, finding.sentence), ` ${savingText(finding)}`),
        make("pre", {}, finding.fix),
        make("p", { class: "actions" }, copyButton(finding.fix), ...show),
    );
}

export function findingList(report: Report, graph: GraphView): HTMLElement {
    if (report.findings.length === 0) return make("p", {}, "Nothing to mend was found.");
    const left = report.counts.findings - report.findings.length;
    return make(
        "div",
        {},
        ...report.findings.map((finding, number) => findingCard(finding, number, graph, true)),
        ...(left > 0
            ? [make("p", {}, `${countText(left)} more are told by \`quarry advise --top 0\`.`)]
            : []),
    );
}
