import { defineConfig } from "astro/config";

export default defineConfig({
  site: "https://example.com",
  build: { inlineStylesheets: "never" },
  devToolbar: { enabled: false },
});
