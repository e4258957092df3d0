import { defineCollection } from "astro:content";
import { glob } from "astro/loaders";
import { z } from "astro/zod";

const menu = defineCollection({
  loader: glob({ pattern: "*.md", base: "./src/content/menu" }),
  schema: z.object({
    name: z.string(),
    price: z.string(),
    position: z.number(),
  }),
});

export const collections = { menu };
