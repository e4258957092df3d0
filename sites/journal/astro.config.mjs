import { defineConfig } from "astro/config";

export default defineConfig({
  site: "https://journal.example.net",
  devToolbar: { enabled: false },
});
