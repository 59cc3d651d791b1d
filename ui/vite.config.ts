import { defineConfig, type Plugin } from "vite";

// One file that needs no other: what Vite would lay beside the page goes into it.
function intoOneFile(): Plugin {
    return {
        name: "into-one-file",
        enforce: "post",
        generateBundle(_, bundle) {
            const page = bundle["index.html"];
            if (page?.type !== "asset") throw new Error("no index.html was made");
            let text = String(page.source);
            for (const [name, file] of Object.entries(bundle)) {
                if (file === page) continue;
                if (file.type === "chunk") {
                    const code = file.code.replaceAll("</script", "<\\/script");
                    text = text.replace(new RegExp(`<script[^>]*${name}[^>]*></script>`), "");
                    text = text.replace(
                        "</body>",
                        () => `<script type="module">${code}</script></body>`,
                    );
                } else {
                    const link = new RegExp(`<link[^>]*${name}[^>]*>`);
                    text = text.replace(link, () => `<style>${String(file.source)}</style>`);
                }
                delete bundle[name];
            }
            page.source = text;
        },
    };
}

export default defineConfig({
    plugins: [intoOneFile()],
    build: { target: "es2022", modulePreload: false, cssCodeSplit: false },
});
