// A Lambda@Edge function, between stored_pages.js and rules.js: where the bucket has no such file, looks for the other
// files that the address can mean, then for the site's own 404 page. It runs only for what the edge has not kept and the
// bucket does not have.

const MISSING = ['403', '404']; // S3 says "denied" of what is missing to those who may not list

// Such a function has no settings: where the bucket is, its origin says.
function bucketOf(request) {
  const name = /^(.+)\.s3\.([a-z0-9-]+)\.amazonaws\.com$/.exec(request.origin.s3.domainName);
  return bucketIn(name[2], name[1]);
}

async function handler(event) {
  const record = event.Records[0].cf;
  const asked = MISSING.includes(record.response.status) ? requestedPage(record.request.uri) : null;
  if (asked === null) {
    return record.response;
  }
  const page = await findFallback(bucketOf(record.request), asked);
  return {
    status: String(page.status),
    headers: {
      'content-type': [{ key: 'Content-Type', value: page.kind }],
      'cache-control': [{ key: 'Cache-Control', value: page.kept }],
    },
    body: page.body.toString('base64'),
    bodyEncoding: 'base64',
  };
}

module.exports = { handler };
