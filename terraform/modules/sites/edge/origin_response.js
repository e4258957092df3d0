// A Lambda@Edge function, packaged between stored_pages.js and rules.js: if the bucket lacks a file, serves another file of
// the URL, or the site's 404 page. It runs only for requests that are not cached and that the bucket cannot serve.

const MISSING = ['403', '404']; // without permission to list, S3 returns 403 for missing keys
const READ_ONLY = ['transfer-encoding', 'via']; // CloudFront answers 502 if a response lacks them or changes them

// Lambda@Edge has no environment variables: the origin names the bucket.
function bucketOf(request) {
  const name = /^(.+)\.s3\.([a-z0-9-]+)\.amazonaws\.com$/.exec(request.origin.s3.domainName);
  return bucketIn(name[2], name[1]);
}

function readOnlyHeaders(headers) {
  return Object.fromEntries(READ_ONLY.filter((name) => name in headers).map((name) => [name, headers[name]]));
}

async function handler(event) {
  const record = event.Records[0].cf;
  const requested = MISSING.includes(record.response.status) ? requestedPage(record.request.uri) : null;
  if (requested === null) {
    return record.response;
  }
  const page = await findFallback(bucketOf(record.request), requested);
  return {
    status: String(page.status),
    headers: Object.assign(readOnlyHeaders(record.response.headers), {
      'content-type': [{ key: 'Content-Type', value: page.kind }],
      'cache-control': [{ key: 'Cache-Control', value: page.kept }],
    }),
    body: page.body.toString('base64'),
    bodyEncoding: 'base64',
  };
}

module.exports = { handler };
