/** Addresses inside the site, right under whatever path the site is built for. */
const base = import.meta.env.BASE_URL.replace(/\/+$/, "");

export function link(path: string): string {
  return `${base}/${path}`;
}
