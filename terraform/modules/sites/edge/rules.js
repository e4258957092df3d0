// Maps a URL to a file of the sites bucket, by the same rules as webordinary/sites/hosting.py; tests run both with the same
// cases. `CONTRACT` is the part of contract.json with hosts and prefixes; the deployment adds it.

const LANGUAGE = /^[a-z]{2}(-[A-Za-z]{2,4})?$/;
const FILE_NAME = /^[^\/]+\.[A-Za-z][A-Za-z0-9]{0,11}$/;
const PLACEHOLDER = /\$\{(\w+)\}/;
const INDEX = 'index.html';

function fill(template, ids) {
  return template.split(PLACEHOLDER).map((part, number) => (number % 2 ? ids[part] : part)).join('');
}

// The ids in a text that starts with a filled template; `rest` is the remainder, which must match `ending`.
function ids(template, text, ending) {
  const parts = template.split(PLACEHOLDER);
  const source = parts.map((part, number) => (number % 2 ? '(' + CONTRACT.patterns[part].slice(1, -1) + ')' : part));
  const found = new RegExp('^' + source.join('') + '(' + ending + ')$').exec(text);
  if (found === null) {
    return null;
  }
  const result = { rest: found[found.length - 1] };
  parts.forEach((part, number) => {
    if (number % 2) {
      result[part] = found[(number + 1) / 2];
    }
  });
  return result;
}

function siteOf(label) {
  const preview = ids(CONTRACT.hosts.preview, label, '');
  if (preview !== null) {
    return { project: preview.project, thread: preview.thread, prefix: fill(CONTRACT.prefixes.preview, preview) };
  }
  const live = ids(CONTRACT.hosts.live, label, '');
  return live === null ? null : { project: live.project, thread: '', prefix: fill(CONTRACT.prefixes.live, live) };
}

// The site of a path in the bucket, and the URL path that it was requested with.
function requestedPage(path) {
  const preview = ids(CONTRACT.prefixes.preview, path.slice(1), '[\\s\\S]*');
  const found = preview || ids(CONTRACT.prefixes.live, path.slice(1), '[\\s\\S]*');
  if (found === null) {
    return null;
  }
  const site = siteOf(fill(preview ? CONTRACT.hosts.preview : CONTRACT.hosts.live, found));
  const rest = '/' + found.rest;
  if (!rest.endsWith('/' + INDEX)) {
    return { site: site, path: rest };
  }
  const folder = rest.slice(0, -1 - INDEX.length);
  const slash = folder === '' || folder.endsWith('/') || FILE_NAME.test(folder.slice(folder.lastIndexOf('/') + 1));
  return { site: site, path: slash ? folder + '/' : folder };
}

function decoded(path) {
  let text;
  try {
    text = decodeURIComponent(path).slice(1);
  } catch (error) {
    return null;
  }
  const climbs = text.split('/').some((part) => part === '.' || part === '..');
  return climbs || /[\u0000-\u001f]/.test(text) ? null : text;
}

function filesOf(path) {
  if (path === '' || path === '/') {
    return [path + INDEX];
  }
  if (path === INDEX || path.endsWith('/' + INDEX)) {
    return [path];
  }
  if (path.endsWith('/')) {
    return [path + INDEX, path.slice(0, -1) + '.html'];
  }
  if (FILE_NAME.test(path.slice(path.lastIndexOf('/') + 1))) {
    return [path, path + '/' + INDEX];
  }
  return [path + '/' + INDEX, path + '.html', path];
}

function notFoundPagesOf(path) {
  const language = path.split('/')[0];
  const pages = ['404.html', '404/' + INDEX];
  return LANGUAGE.test(language) ? pages.map((page) => language + '/' + page).concat(pages) : pages;
}

function keysOf(site, path) {
  const text = decoded(path);
  const below = (name) => site.prefix + name;
  return {
    file: text === null ? [] : filesOf(text).map(below),
    notFound: notFoundPagesOf(text === null ? '' : text).map(below),
  };
}

// The new URL of a preview in the old format, under its project's host.
function movedPreview(site, path) {
  const old = site.thread === '' ? ids('/' + CONTRACT.prefixes.old_previews + '${thread}', path, '|/[\\s\\S]*') : null;
  if (old === null) {
    return null;
  }
  return { label: fill(CONTRACT.hosts.preview, { project: site.project, thread: old.thread }), path: old.rest || '/' };
}

function pathOfKey(key) {
  return '/' + key.split('/').map(encodeURIComponent).join('/');
}
