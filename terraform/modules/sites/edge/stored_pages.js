// Reads pages from the sites bucket; packaged before the functions that find fallbacks.

const { S3Client, GetObjectCommand, HeadObjectCommand } = require('@aws-sdk/client-s3');

const CONTRACT = require('./contract.json');
const MAX_BODY_BYTES = 700000; // encoded, a response of Lambda@Edge or a load balancer target is limited to 1 MB
const clients = {};

function bucketIn(region, name) {
  clients[region] = clients[region] || new S3Client({ region: region });
  return { name: name, client: clients[region] };
}

async function nullIfMissing(response) {
  try {
    return await response;
  } catch (error) {
    // Without permission to list, S3 returns AccessDenied for missing keys; HEAD responses have a status only.
    if (['NoSuchKey', 'AccessDenied'].includes(error.name) || [403, 404].includes((error.$metadata || {}).httpStatusCode)) {
      return null;
    }
    throw error;
  }
}

async function exists(bucket, key) {
  return (await nullIfMissing(bucket.client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key })))) !== null;
}

async function firstOf(bucket, keys) {
  for (const key of keys) {
    const found = await nullIfMissing(bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: key })));
    if (found !== null && found.ContentLength <= MAX_BODY_BYTES) {
      return found;
    }
  }
  return null;
}

// Another file of the URL, or the site's 404 page.
async function findFallback(bucket, requested) {
  const keys = keysOf(requested.site, requested.path);
  const other = await firstOf(bucket, keys.file.slice(1));
  const found = other || (await firstOf(bucket, keys.notFound));
  return {
    status: other ? 200 : 404,
    kind: found ? found.ContentType : 'text/plain; charset=utf-8',
    kept: other && other.CacheControl ? other.CacheControl : 'no-cache',
    body: found ? Buffer.from(await found.Body.transformToByteArray()) : Buffer.from('Not found\n'),
  };
}
