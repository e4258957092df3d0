// A Lambda@Edge function, before rules.js: where the bucket has no such file, looks for the other files that the address
// can mean, then for the site's own 404 page. It runs only for what the edge has not kept and the bucket does not have.

const { S3Client, GetObjectCommand } = require('@aws-sdk/client-s3');

const LONGEST_BODY = 900000; // of 1 MB that an answer made here may have, encoded
const MISSING = ['403', '404']; // S3 says "denied" of what is missing to those who may not list
const CONTRACT = require('./contract.json');
const clients = {};

// Such a function has no settings: where the bucket is, its origin says.
function bucketOf(request) {
  const name = /^(.+)\.s3\.([a-z0-9-]+)\.amazonaws\.com$/.exec(request.origin.s3.domainName);
  clients[name[2]] = clients[name[2]] || new S3Client({ region: name[2] });
  return { name: name[1], client: clients[name[2]] };
}

async function fetched(bucket, key) {
  try {
    const found = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: key }));
    return found.ContentLength > LONGEST_BODY ? null : found;
  } catch (error) {
    if (error.name === 'NoSuchKey' || error.name === 'AccessDenied') {
      return null;
    }
    throw error;
  }
}

async function firstOf(bucket, keys) {
  for (const key of keys) {
    const found = await fetched(bucket, key);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

async function answer(found, status) {
  const body = found ? Buffer.from(await found.Body.transformToByteArray()) : Buffer.from('Not found\n');
  const kind = found ? found.ContentType : 'text/plain; charset=utf-8';
  const kept = found && status === '200' && found.CacheControl ? found.CacheControl : 'no-cache';
  return {
    status: status,
    headers: {
      'content-type': [{ key: 'Content-Type', value: kind }],
      'cache-control': [{ key: 'Cache-Control', value: kept }],
    },
    body: body.toString('base64'),
    bodyEncoding: 'base64',
  };
}

async function handler(event) {
  const record = event.Records[0].cf;
  const asked = MISSING.includes(record.response.status) ? askedFor(record.request.uri) : null;
  if (asked === null) {
    return record.response;
  }
  const bucket = bucketOf(record.request);
  const keys = keysOf(asked.site, asked.path);
  const other = await firstOf(bucket, keys.file.slice(1));
  if (other !== null) {
    return answer(other, '200');
  }
  return answer(await firstOf(bucket, keys.notFound), '404');
}

module.exports = { handler };
