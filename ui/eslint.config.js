import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

/** Refuses imports of the named layers, whether written with their alias or as a relative path. */
const without = (layers, message) => [
  "error",
  {
    patterns: [
      { group: layers.flatMap((layer) => [`$${layer}/*`, `**/src/${layer}/**`, `../**/${layer}/**`]), message },
    ],
  },
];

const layer = (files, layers, message) => ({ files, rules: { "no-restricted-imports": without(layers, message) } });

export default ts.config(
  { ignores: ["node_modules", "dist", "dist-fake", "shots", "src/lib/ipc/generated"] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs["flat/recommended"],
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      "no-restricted-globals": ["error", { name: "fetch", message: "Only lib/ipc talks to anything." }],
      "no-restricted-properties": [
        "error",
        { object: "window", property: "fetch", message: "Only lib/ipc talks to anything." },
        { object: "globalThis", property: "fetch", message: "Only lib/ipc talks to anything." },
      ],
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      "svelte/no-at-html-tags": "error",
      "svelte/no-navigation-without-resolve": "off",
      // State is replaced whole (`$state.raw`), never changed in place, so plain values are right.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
  layer(["src/shared/**"], ["lib", "features", "views", "entries"], "shared imports nothing of ours."),
  layer(["src/lib/**"], ["shared", "features", "views", "entries"], "lib imports lib only."),
  layer(["src/features/**"], ["views", "entries"], "Features import shared and lib."),
  layer(["src/views/**"], ["entries"], "Views compose features."),
  {
    files: ["scripts/**", "tests/browser/**", "*.config.*"],
    languageOptions: { globals: { ...globals.node } },
    rules: { "no-console": "off" },
  },
);
