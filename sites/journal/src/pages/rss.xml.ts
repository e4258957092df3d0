import { getCollection } from "astro:content";
import type { APIContext } from "astro";

const escaped = (text: string) => text.replace(/[<>&]/g, (char) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;" })[char] ?? "");

export async function GET({ site }: APIContext) {
  const posts = await getCollection("posts");
  const items = posts.map(
    ({ id, data }) =>
      `<item><title>${escaped(data.title)}</title><link>${new URL(`/posts/${id}/`, site)}</link>` +
      `<description>${escaped(data.summary)}</description><pubDate>${data.written.toUTCString()}</pubDate></item>`,
  );
  const channel = `<title>Harbour Journal</title><link>${site}</link><description>Notes from a small harbour</description>`;
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>${channel}${items.join("")}</channel></rss>`, {
    headers: { "content-type": "application/rss+xml" },
  });
}
