// What is chosen at the moment, and who wants to know of it.

import type { Report } from "./report";
import type { VisibleNode } from "./view_model";

export class State {
    private selected: VisibleNode | null = null;
    private readonly listeners: ((node: VisibleNode | null) => void)[] = [];

    constructor(readonly report: Report) {}

    get selection(): VisibleNode | null {
        return this.selected;
    }

    select(node: VisibleNode | null): void {
        this.selected = node;
        for (const listener of this.listeners) listener(node);
    }

    onSelect(listener: (node: VisibleNode | null) => void): void {
        this.listeners.push(listener);
    }
}
