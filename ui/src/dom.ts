// Elements, made without markup: names in a report are data, whatever they look like.

type Child = Node | string;
type Properties = Record<string, string | number | boolean | EventListener | undefined>;

export function make<Name extends keyof HTMLElementTagNameMap>(
    name: Name,
    properties: Properties = {},
    ...children: Child[]
): HTMLElementTagNameMap[Name] {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (value === undefined || value === false) continue;
        if (typeof value === "function") {
            element.addEventListener(key, value);
        } else {
            element.setAttribute(key, value === true ? "" : String(value));
        }
    }
    element.append(...children);
    return element;
}

// A name in its own direction of writing, so that it cannot turn its surroundings about.
export function name(text: string, properties: Properties = {}): HTMLElement {
    return make("bdi", { class: "name", title: text, ...properties }, text);
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
    return make(
        "section",
        { id, "aria-labelledby": `${id}-title` },
        make("h2", { id: `${id}-title` }, title),
        ...children,
    );
}

export function choice(
    label: string,
    options: [string, string][],
    value: string,
    changed: (value: string) => void,
): HTMLLabelElement {
    const select = make(
        "select",
        { "aria-label": label, change: () => changed(select.value) },
        ...options.map(([key, text]) => make("option", { value: key }, text)),
    );
    select.value = value;
    return make("label", {}, `${label} `, select);
}
