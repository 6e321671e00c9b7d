/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), svelteTesting()],
  resolve: {
    alias: {
      $lib: at("./src/lib"),
      $shared: at("./src/shared"),
      $features: at("./src/features"),
      $views: at("./src/views"),
    },
  },
  server: { port: 1420, strictPort: true },
  // The web view is loaded from inside the program, so addresses are relative and nothing is preloaded by script.
  base: "./",
  build: {
    outDir: mode === "fake" ? "dist-fake" : "dist",
    target: "es2022",
    modulePreload: { polyfill: false },
    // Inlined files would be data addresses, which the content policy has no need to allow.
    assetsInlineLimit: 0,
    rollupOptions: { input: { main: at("./index.html"), approval: at("./approval.html") } },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts", "tests/unit/**/*.test.ts"],
    setupFiles: ["tests/unit/setup.ts"],
    restoreMocks: true,
  },
}));
