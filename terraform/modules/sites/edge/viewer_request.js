// A CloudFront function: maps host and path to a file in the bucket. edge.tf puts its imports, its constants and rules.js
// before it.

const UNAVAILABLE = { statusCode: 503, statusDescription: 'Service Unavailable', headers: { 'cache-control': { value: 'no-store' } } };
const NO_SUCH_SITE = { statusCode: 404, statusDescription: 'Not Found', headers: { 'cache-control': { value: 'no-store' } } };

// Throws if the store fails: `get` alone cannot tell a failure from a missing key.
async function stored(key) {
  const store = cf.kvs();
  return (await store.exists(key)) ? await store.get(key) : null;
}

// The label of a host of our own domains.
function ownLabel(host) {
  const label = host.split('.')[0];
  return [SITES_DOMAIN, PREVIEW_DOMAIN].includes(host.slice(label.length + 1)) ? label : null;
}

function isAuthorized(headers, project, digest) {
  const given = headers.authorization ? headers.authorization.value : '';
  if (!given.startsWith('Basic ')) {
    return false;
  }
  const password = Buffer.from(given.slice(6), 'base64').toString('utf8').replace(/^[^:]*:/, '');
  return crypto.createHash('sha256').update(project + ':' + password).digest('hex') === digest;
}

// Passes the original host and path to a worker. Always set, so that a browser cannot forge these headers.
function addOriginalRequest(request, host) {
  const names = CONTRACT.live_previews;
  const query = request.rawQueryString();
  request.headers[names.host_header] = { value: host };
  request.headers[names.target_header] = { value: request.uri + (query ? '?' + query : '') };
}

async function handler(event) {
  try {
    return await respond(event);
  } catch (error) {
    return UNAVAILABLE; // a password may be required
  }
}

async function respond(event) {
  const request = event.request;
  const host = request.headers.host.value.toLowerCase();
  const own = await stored('domain/' + host);
  const label = own === null ? ownLabel(host) : own;
  const site = label === null ? null : siteOf(label);
  if (site === null) {
    return NO_SUCH_SITE;
  }
  const moved = movedPreview(site, request.uri);
  if (moved !== null) {
    const location = 'https://' + moved.label + '.' + PREVIEW_DOMAIN + moved.path;
    return { statusCode: 301, statusDescription: 'Moved Permanently', headers: { location: { value: location } } };
  }
  const digest = site.thread === '' ? null : await stored('password/' + site.project);
  if (digest !== null && !isAuthorized(request.headers, site.project, digest)) {
    const challenge = { 'www-authenticate': { value: 'Basic realm="preview", charset="UTF-8"' }, 'cache-control': { value: 'no-store' } };
    return { statusCode: 401, statusDescription: 'Unauthorized', headers: challenge };
  }
  if (CONTRACT.live_previews) {
    addOriginalRequest(request, host);
  }
  const keys = keysOf(site, request.uri);
  // Invalid paths are mapped to a key that does not exist.
  request.uri = pathOfKey(keys.file.length > 0 ? keys.file[0] : site.prefix + 'nothing/');
  request.querystring = {};
  return request;
}
